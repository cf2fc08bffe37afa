import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (file: string) => readFileSync(file, 'utf8')
const { workspaces, scripts } = JSON.parse(read('package.json'))

describe.each(readdirSync('.github/workflows'))('the workflow %s', (file) => {
  const workflow: {
    permissions: Record<string, string>
    jobs: Record<string, { 'timeout-minutes': number; steps: Record<string, string>[] }>
  } = parse(read(`.github/workflows/${file}`))
  const jobs = Object.values(workflow.jobs)
  const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

  test('runs what is there, for a while at most, and may read only', () => {
    expect(workflow.permissions['contents']).toBe('read')
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0)
    for (const command of commands) {
      const [, script] = /npm run (?:-s )?([\w:-]+)/.exec(command) ?? []
      if (script) expect(Object.keys(scripts)).toContain(script)
      if (command.startsWith('.')) expect(existsSync(command)).toBe(true)
    }
  })

  test.runIf(file === 'publish.yaml')('publishes each package after what it depends on', () => {
    const published = commands.flatMap(
      (command) => /^npm publish --provenance .*--workspace (\S+)$/.exec(command)?.[1] ?? [],
    )
    expect(published.toSorted()).toEqual(workspaces.toSorted())
    const names = published.map((folder) => JSON.parse(read(`${folder}/package.json`)))
    for (const [at, { dependencies = {} }] of names.entries()) {
      const earlier = new Set(names.slice(0, at).map(({ name }) => name))
      const ours = Object.keys(dependencies).filter((name) =>
        names.some((each) => each.name === name),
      )
      expect(ours.filter((name) => !earlier.has(name))).toEqual([])
    }
  })
})

test('the templates of issues are forms that GitHub takes', () => {
  const forms = readdirSync('.github/ISSUE_TEMPLATE').filter((file) => file !== 'config.yml')
  for (const file of forms) {
    const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${file}`))
    expect([typeof name, typeof description]).toEqual(['string', 'string'])
    for (const { type, id, attributes } of body) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes', 'markdown']).toContain(type)
      expect([typeof id, typeof attributes.label]).toEqual(['string', 'string'])
    }
  }
})
