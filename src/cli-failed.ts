/** A refusal of the command line: one line on stderr and a non-zero exit. */
export class Failed extends Error {}
