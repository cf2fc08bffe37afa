export type LinkPurpose = 'reset_password' | 'confirm_email' | 'change_email'
