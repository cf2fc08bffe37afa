/** What a check found: one line for a person, who reads in `says` what is wrong and what to do. */
export interface Finding {
  check: string
  result: 'ok' | 'warning' | 'problem'
  says: string
}

export type Check = (check: string) => {
  ok(says: string): Finding
  warning(says: string): Finding
  problem(says: string): Finding
}

export const finding: Check = (check) => ({
  ok: (says) => ({ check, result: 'ok', says }),
  warning: (says) => ({ check, result: 'warning', says }),
  problem: (says) => ({ check, result: 'problem', says }),
})
