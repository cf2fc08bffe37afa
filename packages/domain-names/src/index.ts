export {
  type DomainName,
  nameText,
  parseDomainName,
  partOfName,
  tldOf,
  withULabels,
} from './domain-name.ts'
