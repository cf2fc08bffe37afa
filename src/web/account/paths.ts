/** Where a user says where they are paid. */
export const PAYEE = '/account/payee'
