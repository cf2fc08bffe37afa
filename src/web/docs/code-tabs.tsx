import { codeBlock } from './markdown.ts'

export interface CodeTab {
  /** What the reader's choice is remembered by. */
  value: string
  label: string
  highlight: string
  code: string
}

/** The same in several languages, of which one is shown: radio buttons, which need no script. */
export function CodeTabs({
  name,
  legend,
  tabs,
}: {
  name: string
  legend: string
  tabs: CodeTab[]
}) {
  return (
    <fieldset class="languages sample">
      <legend class="hidden">{legend}</legend>
      {tabs.map(({ value, label }, index) => (
        <>
          <input
            type="radio"
            class="hidden"
            name={`${name}-language`}
            id={`${name}-${value}`}
            value={value}
            checked={index === 0}
          />
          <label for={`${name}-${value}`}>{label}</label>
        </>
      ))}
      {tabs.map(({ value, highlight, code }) => (
        <Code class={`panel-${value}`} language={highlight} code={code} />
      ))}
    </fieldset>
  )
}

export function Sample({
  title,
  language,
  code,
}: {
  title: string
  language: string
  code: string
}) {
  return (
    <figure class="sample">
      <figcaption>{title}</figcaption>
      <Code language={language} code={code} />
    </figure>
  )
}

function Code({ language, code, ...rest }: { class?: string; language: string; code: string }) {
  return <div {...rest} dangerouslySetInnerHTML={{ __html: codeBlock(code, language) }} />
}
