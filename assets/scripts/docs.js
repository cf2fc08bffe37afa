// The navigation, copy buttons, and the language of the samples: one choice for all of them, which stays for the next page.

// On a phone the navigation is one line: the page's own link should be in sight.
document
  .querySelector('.side [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' })

const LANGUAGE = 'docs-language'

/** @param {string} language */
function choose(language) {
  for (const radio of document.querySelectorAll('.languages input[type="radio"]')) {
    if (radio instanceof HTMLInputElement && radio.value === language) radio.checked = true
  }
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('.languages')) return
  // What was chosen stays where it is on the screen while samples above it change their heights.
  const before = target.getBoundingClientRect().top
  choose(target.value)
  scrollBy(0, target.getBoundingClientRect().top - before)
  try {
    localStorage.setItem(LANGUAGE, target.value)
  } catch {
    // Browsers may keep nothing; the choice holds for this page.
  }
})
try {
  choose(localStorage.getItem(LANGUAGE) ?? '')
} catch {
  // As above.
}

// Browsers let pages write to the clipboard in a secure context alone.
if (navigator.clipboard) {
  for (const pre of document.querySelectorAll('main pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.querySelector('code')?.textContent ?? '')
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    pre.before(button)
  }
}
