/** Where a user says where they are paid. */
export const PAYEE = '/account/payee'
/** What a user has sold. */
export const SALES = '/account/sales'
