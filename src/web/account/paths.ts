/** Where a user says where they are paid. */
export const PAYEE = '/account/payee'
/** What a user has bought. */
export const PURCHASES = '/account/purchases'
/** What a user has sold. */
export const SALES = '/account/sales'
/** Offers to respond to, and those that the user made. */
export const OFFERS = '/account/offers'
export const SECURITY = '/account/security'
/** A whole list of names, added and priced with one file. */
export const SELL = '/account/sell'
