// What every page of a signed-in user gains where scripts run; nothing depends on it.

// On a phone a section's links are one line: the page's own should be in sight.
document
  .querySelector('.side [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' })

// Browsers let pages write to the clipboard in a secure context alone.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('button.copy-id')) button.removeAttribute('hidden')
}

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-copy]') : null
  if (!(button instanceof HTMLButtonElement)) return
  // An id stands just before its button, which has no words.
  const isId = button.classList.contains('copy-id')
  const source = isId
    ? button.previousElementSibling
    : document.getElementById(button.dataset.copy ?? '')
  if (!source) return
  await navigator.clipboard.writeText(source.textContent ?? '')
  if (isId) {
    button.classList.add('done')
    setTimeout(() => button.classList.remove('done'), 1500)
    return
  }
  const label = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => {
    button.textContent = label
  }, 1500)
})

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement)) return
  if (event.submitter?.getAttribute('formmethod') === 'dialog') return
  const question = event.submitter?.dataset.confirm ?? form.dataset.confirm
  if (question !== undefined && !confirm(question)) {
    event.preventDefault()
    return
  }
  if (form.method !== 'post') return
  // After the browser has taken up the form, whose pressed button belongs to it.
  setTimeout(() => {
    for (const button of form.querySelectorAll('button')) button.disabled = true
  })
})

// A page that comes back out of the browser's memory can be sent again.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('form[method="post"] button[disabled]')) {
    if (button instanceof HTMLButtonElement && !button.dataset.off) button.disabled = false
  }
})

// A part that changes while one looks on is read again until the server no longer asks for that.
async function follow() {
  const part = document.querySelector('[data-refresh]')
  if (!(part instanceof HTMLElement)) return
  await new Promise((resolve) => setTimeout(resolve, Number(part.dataset.refresh) * 1000))
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    const text = answer.ok ? await answer.text() : null
    const next = text && new DOMParser().parseFromString(text, 'text/html').getElementById(part.id)
    if (next) part.replaceWith(document.adoptNode(next))
  } catch {
    // The next round asks again.
  }
  await follow()
}
void follow()
