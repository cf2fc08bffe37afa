import { defaultText } from '../src/cli/config-print.ts'
import { ENVIRONMENT_VARIABLES } from '../src/core/environment.ts'

/** The table of docs/OPERATING.md: a row for each variable, with its default and what it is. */
export function describeSettings(): string {
  const rows = Object.entries(ENVIRONMENT_VARIABLES.shape).map(([name, field]) => {
    const { description = '', otherwise } = (field.meta() ?? {}) as {
      description?: string
      otherwise?: string
    }
    const standard = defaultText(field) ?? 'none'
    const isValue = otherwise === undefined && defaultText(field) && !/^\d+$/.test(standard)
    return `| \`${name}\` | ${isValue ? `\`${standard}\`` : standard} | ${description} |\n`
  })
  return ['| variable | default | what it is |\n', '|---|---|---|\n', ...rows].join('')
}
