declare module 'fs-native-extensions' {
  /** Takes the exclusive advisory lock of an open file; false when another process has it. */
  export function tryLock(file: number): boolean
}
