/** Text in which backquotes mark code, and blank lines part paragraphs. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}

export function Paragraphs({ text }: { text: string }) {
  return (
    <>
      {text
        .split(/\n{2,}/)
        .filter((part) => part.trim() !== '')
        .map((part) => (
          <p>
            <Prose text={part} />
          </p>
        ))}
    </>
  )
}
