import { spawnSync } from 'node:child_process'

/** Whether a program is on the PATH of this machine. */
export function installed(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0
}
