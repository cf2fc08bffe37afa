/**
 * What calls itself a robot, and previews. Whoever hides it is not told apart, and a visitor is not made
 * a robot for using a program that we do not know: a lost click costs a partner money, a false one nothing.
 */
const BOTS =
  /(?<!\bcu)bot\b|bot[/_;-]|crawl|spider|slurp|preview|facebookexternalhit|embedly|whatsapp|lighthouse|pingdom|uptime|monitor|scrap|archiver|validator/i

export function isRobot(userAgent: string): boolean {
  return BOTS.test(userAgent)
}
