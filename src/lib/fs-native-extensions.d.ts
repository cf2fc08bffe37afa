declare module 'fs-native-extensions' {
  /** Takes the advisory lock of an open file, alone or with others who share it; false when another process has it. */
  export function tryLock(file: number, options?: { shared: boolean }): boolean
}
