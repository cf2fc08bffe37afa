import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'

/** What users start from their client, such as by a slash command: each becomes one message of theirs. */
const PROMPTS = [
  {
    name: 'find_a_name',
    title: 'Find a domain name',
    description: 'Finds domain names for a business, a product or an idea, for sale or free.',
    arguments: [
      { name: 'idea', description: 'What the name is for, in a few words.', required: true },
      {
        name: 'budget',
        description: 'What it may cost at most, such as 2,000 USD.',
        required: false,
      },
    ],
    text: ({ idea, budget }: Given) =>
      `Find me a domain name for: ${idea}.${budget ? ` It may cost at most ${budget}.` : ''} Search the marketplace by ` +
      'what the name should say, and check a few names of your own. Show five with what each costs and why it fits, ' +
      'and say which you would choose. Buy nothing.',
  },
  {
    name: 'buy_a_name',
    title: 'Buy a domain name',
    description:
      'Buys one domain within the limits that you have set for this app, after you confirm the price.',
    arguments: [
      { name: 'domain', description: 'The domain, such as example.com.', required: true },
    ],
    text: ({ domain }: Given) =>
      `Buy ${domain} for me. First tell me the whole price, the terms and what is left of my limit, and wait until I ` +
      'agree. If it is beyond my limit or no card is saved, give me a link to pay myself. Then tell me how far the ' +
      'transfer is.',
  },
  {
    name: 'offer_for_a_name',
    title: 'Make an offer for a domain name',
    description: 'Offers the seller of a domain less than its price.',
    arguments: [
      { name: 'domain', description: 'The domain, such as example.com.', required: true },
      { name: 'amount', description: 'What to offer, such as 900 USD.', required: true },
    ],
    text: ({ domain, amount }: Given) =>
      `Offer ${amount} for ${domain} in my name. Tell me before you send it what the domain costs, and afterwards how the ` +
      'offer stands and where I can follow it.',
  },
] as const

type Given = Record<string, string | undefined>

export function listPrompts() {
  return {
    prompts: PROMPTS.map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: taken.map((argument) => ({ ...argument })),
    })),
  }
}

/** The message of a prompt; a protocol error for one that is not there, or without what it requires. */
export function promptOf(name: string, given: Given = {}): GetPromptResult {
  const prompt = PROMPTS.find((each) => each.name === name)
  if (!prompt) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`)
  }
  const missing = prompt.arguments.find((one) => one.required && !given[one.name]?.trim())
  if (missing) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${missing.name} is required.`)
  }
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
  }
}
