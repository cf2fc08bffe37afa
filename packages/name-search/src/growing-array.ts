/** Whole numbers in one block of memory that doubles when it is full. */
export class GrowingArray {
  #numbers: Uint32Array
  length = 0

  constructor(capacity = 4) {
    this.#numbers = new Uint32Array(capacity)
  }

  push(number: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.length] = number
    this.length += 1
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  get last(): number | undefined {
    return this.length === 0 ? undefined : this.#numbers[this.length - 1]
  }

  set(index: number, number: number): void {
    this.#numbers[index] = number
  }

  /** What was pushed so far, not a copy. */
  view(): Uint32Array {
    return this.#numbers.subarray(0, this.length)
  }
}
