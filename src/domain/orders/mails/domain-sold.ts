import { type Letter, letter } from '../../../core/letter.tsx'

/** Tells a seller that there is a buyer. */
export function domainSoldMail(sale: {
  name: string
  publicId: string
  price: string
  share: string
}): Letter {
  const { name, publicId, price, share } = sale
  return letter(`${name} is sold`, [
    `Good news: ${name} is sold. It stays in your account, unchanged, until we transfer it to the buyer. There is nothing for you to do.`,
    {
      facts: [
        ['Price', price],
        ['Your share', share],
        ['Order', publicId],
      ],
    },
  ])
}
