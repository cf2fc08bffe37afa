/** Where the list of a page is that has one. */
export const LIST_ID = 'list'

/** The keyboard's way past navigation and filters. The second is hidden by the style on pages without a list. */
export function SkipLinks() {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <a class="skip to-list" href={`#${LIST_ID}`}>
        Skip to the list
      </a>
    </>
  )
}
