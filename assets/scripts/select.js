// Choosing all rows of a list at once, where scripts run.

for (const button of document.querySelectorAll('button[data-select]')) {
  if (!(button instanceof HTMLButtonElement)) continue
  button.hidden = false
  button.addEventListener('click', () => {
    const boxes = [...document.querySelectorAll(`input[name="${button.dataset.select}"]`)].filter(
      (box) => box instanceof HTMLInputElement,
    )
    const isOn = boxes.some((box) => !box.checked)
    for (const box of boxes) box.checked = isOn
  })
}
