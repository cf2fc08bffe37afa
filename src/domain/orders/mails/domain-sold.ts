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
    `Good news: ${name} is sold. It stays in your account until it is transferred to the buyer: leave it and its DNS records as they are. If its registrar needs something from you, such as a transfer code, we write to you.`,
    {
      facts: [
        ['Price', price],
        ['Your share', share],
        ['Order', publicId],
      ],
    },
  ])
}
