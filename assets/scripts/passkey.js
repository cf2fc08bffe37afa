// Makes or uses a passkey for the form that asks for one, and sends what the browser gives with it.

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!(form instanceof HTMLFormElement)) continue
  if (!('PublicKeyCredential' in window)) continue
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    const field = form.elements.namedItem('response')
    if (!(field instanceof HTMLInputElement) || field.value !== '') return
    event.preventDefault()
    event.stopImmediatePropagation()
    const options = JSON.parse(form.dataset.passkey ?? '{}')
    try {
      const credential = form.dataset.makes
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          })
      if (!(credential instanceof PublicKeyCredential)) return
      field.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      const status = form.querySelector('[role="status"]')
      if (status) status.textContent = 'No passkey was used. Try again, or use a code.'
    }
  })
}
