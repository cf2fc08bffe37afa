import { describe, expect, test } from 'vitest'
import { readWhoisResponse } from '../src/whois.ts'
import { whoisDate } from '../src/whois-date.ts'

const read = (domain: string, text: string) => readWhoisResponse(domain, Buffer.from(text))

/** What registries return, in the forms that they have; the names and values are made up. */
const REGISTERED: Record<string, { text: string; record: object }> = {
  'acme.com': {
    text: `   Domain Name: ACME.COM\r
   Registry Domain ID: 1_DOMAIN_COM-VRSN\r
   Registrar WHOIS Server: whois.registrar.example\r
   Updated Date: 2024-02-03T04:05:06Z\r
   Creation Date: 1999-01-02T03:04:05Z\r
   Registry Expiry Date: 2030-01-02T03:04:05Z\r
   Registrar: Example Registrar, Inc.\r
   Registrar IANA ID: 9999\r
   Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited\r
   Domain Status: clientUpdateProhibited https://icann.org/epp#clientUpdateProhibited\r
   Name Server: NS1.ACME.COM\r
   Name Server: NS2.ACME.COM\r
   DNSSEC: unsigned\r
>>> Last update of whois database: 2026-01-01T00:00:00Z <<<\r
\r
NOTICE: The expiration date displayed in this record is not found elsewhere.\r
`,
    record: {
      registrar: { name: 'Example Registrar, Inc.', iana_id: '9999' },
      created_at: '1999-01-02T03:04:05.000Z',
      updated_at: '2024-02-03T04:05:06.000Z',
      expires_at: '2030-01-02T03:04:05.000Z',
      status: ['clientTransferProhibited', 'clientUpdateProhibited'],
      nameservers: ['ns1.acme.com', 'ns2.acme.com'],
      dnssec: false,
    },
  },
  'acme.io': {
    text: `Domain Name: acme.io
Creation Date: 2015-01-02T03:04:05.0Z
Registry Expiry Date: 2029-01-02T03:04:05.0Z
Registrar: Example Registrar
Registrant Organization: Acme Ltd
Registrant Country: GB
Registrant Name: REDACTED FOR PRIVACY
Name Server: ns1.acme.io
DNSSEC: signedDelegation
`,
    record: {
      registrant: { organization: 'Acme Ltd', country: 'GB', redacted: true },
      expires_at: '2029-01-02T03:04:05.000Z',
      dnssec: true,
    },
  },
  'acme.at': {
    text: `% Copyright (c)2026 by NIC.AT (1)
%
domain:         acme.at
registrar:      Example GmbH ( https://nic.at/registrar/1 )
registrant:     AG1-NICAT
nserver:        ns1.acme.at
nserver:        ns2.acme.at
changed:        20230405 06:07:08
source:         AT-DOM
`,
    record: {
      updated_at: '2023-04-05T06:07:08.000Z',
      nameservers: ['ns1.acme.at', 'ns2.acme.at'],
    },
  },
  'acme.ru': {
    text: `% TCI Whois Service.
domain:        ACME.RU
nserver:       ns1.acme.ru. 192.0.2.1
nserver:       ns2.acme.ru. 192.0.2.2
state:         REGISTERED, DELEGATED, VERIFIED
org:           Acme LLC
registrar:     EXAMPLE-RU
created:       2005-06-07T20:00:00Z
paid-till:     2029-06-07T21:00:00Z
source:        TCI
`,
    record: {
      registrar: { name: 'EXAMPLE-RU', iana_id: null },
      registrant: { organization: 'Acme LLC', country: null, redacted: true },
      created_at: '2005-06-07T20:00:00.000Z',
      expires_at: '2029-06-07T21:00:00.000Z',
      nameservers: ['ns1.acme.ru', 'ns2.acme.ru'],
    },
  },
  'acme.jp': {
    text: `[ JPRS database provides information on network administration. ]

Domain Information:
[Domain Name]                   ACME.JP

[Registrant]                    Acme K.K.

[Name Server]                   ns1.acme.jp
[Name Server]                   ns2.acme.jp
[Signing Key]                   

[Created on]                    2001/03/26
[Expires on]                    2029/03/31
[Status]                        Active
[Last Updated]                  2025/04/01 01:05:10 (JST)
`,
    record: {
      created_at: '2001-03-26T00:00:00.000Z',
      updated_at: '2025-03-31T16:05:10.000Z',
      expires_at: '2029-03-31T00:00:00.000Z',
      nameservers: ['ns1.acme.jp', 'ns2.acme.jp'],
    },
  },
  'acme.it': {
    text: `
*********************************************************************
* Please note that the following result could be a subgroup of      *
*********************************************************************

Domain:             acme.it
Status:             ok
Signed:             no
Created:            2003-04-05 00:00:00
Last Update:        2025-04-06 00:57:11
Expire Date:        2029-03-21

Registrar
  Organization:     Example s.r.l.
  Name:             EXAMPLE-REG

Nameservers
  ns1.acme.it
  ns2.acme.it
`,
    record: {
      created_at: '2003-04-05T00:00:00.000Z',
      expires_at: '2029-03-21T00:00:00.000Z',
      status: ['ok'],
      nameservers: ['ns1.acme.it', 'ns2.acme.it'],
    },
  },
  'acme.be': {
    text: `% .be Whois Server 6.1
Domain:	acme.be
Status:	NOT AVAILABLE
Registered:	Thu Jun 7 2001

Registrar:
	Name:	Example NV
	Website:	https://example.be

Nameservers:
	ns1.acme.be
	ns2.acme.be

Keys:
`,
    record: { nameservers: ['ns1.acme.be', 'ns2.acme.be'], created_at: '2001-06-07T00:00:00.000Z' },
  },
  'acme.eu': {
    text: `% The WHOIS service offered by EURid

Domain: acme.eu
Script: LATIN

Registrant:
        NOT DISCLOSED!

Registrar:
        Name: Example NV
        Website: https://example.eu

Name servers:
        ns1.acme.eu
        ns2.acme.eu
`,
    record: { nameservers: ['ns1.acme.eu', 'ns2.acme.eu'] },
  },
  'acme.dk': {
    text: `# Hello 192.0.2.1. Your session has been logged.
Domain:               acme.dk
DNS:                  acme.dk
Registered:           1998-03-04
Expires:              2029-03-31
Registration period:  5 years
VID:                  no
DNSSEC:               Signed delegation
Status:               Active

Nameservers
Hostname:             ns1.acme.dk
Hostname:             ns2.acme.dk
`,
    record: {
      created_at: '1998-03-04T00:00:00.000Z',
      expires_at: '2029-03-31T00:00:00.000Z',
      dnssec: true,
    },
  },
  'acme.se': {
    text: `# Copyright (c) 1997- The Swedish Internet Foundation.
state:            active
domain:           acme.se
holder:           (not shown)
created:          2002-03-04
modified:         2025-01-02
expires:          2029-03-04
nserver:          ns1.acme.se 192.0.2.1
nserver:          ns2.acme.se
dnssec:           signed delegation
registry-lock:    unlocked
status:           ok
registrar:        Example AB
`,
    record: {
      registrar: { name: 'Example AB', iana_id: null },
      updated_at: '2025-01-02T00:00:00.000Z',
      nameservers: ['ns1.acme.se', 'ns2.acme.se'],
      dnssec: true,
    },
  },
  'acme.cn': {
    text: `Domain Name: acme.cn
ROID: 20030312s10001s00033735-cn
Domain Status: clientTransferProhibited
Registrant: Acme
Sponsoring Registrar: Example
Name Server: ns1.acme.cn
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2029-03-17 12:48:36
DNSSEC: unsigned
`,
    record: {
      registrar: { name: 'Example', iana_id: null },
      created_at: '2003-03-17T12:20:05.000Z',
      expires_at: '2029-03-17T12:48:36.000Z',
    },
  },
}

describe('the response for a registered name', () => {
  test.each(Object.entries(REGISTERED))('%s', (domain, { text, record }) => {
    const outcome = read(domain, text)
    expect(outcome.state).toBe('registered')
    expect(outcome.record).toMatchObject(record)
  })

  test('in Latin-1', () => {
    const text = 'domain: acme.de\nRegistrar: Größe GmbH\nNserver: ns1.acme.de\n'
    expect(readWhoisResponse('acme.de', Buffer.from(text, 'latin1')).record?.registrar?.name).toBe(
      'Größe GmbH',
    )
  })
})

describe('the response for a free name', () => {
  test.each([
    'No match for "FREE.COM".\r\n>>> Last update of whois database: 2026-01-01 <<<\r\n',
    'NOT FOUND\n',
    'Domain not found.\n>>> Last update of WHOIS database: 2026-01-01T00:00:00Z <<<\n',
    'The queried object does not exist: no matching objects found\n',
    'Domain: free.de\nStatus: free\n',
    '% This is the registry\n%\n% nothing found\n',
    '%ERROR:101: no entries found\n%\n% No entries found.\n',
    '% No match\n',
    'No Data Found\n>>> Last update of WHOIS database: 2026 <<<\n',
    'No entries found for the selected source(s).\n',
    'Domain:\tfree.be\nStatus:\tAVAILABLE\n',
    'Domain:             free.it\nStatus:             AVAILABLE\n',
    'No match!!\n',
    'free.hu: no match\nDomain free.hu not found\n',
    'domain free.se not found\n',
    '"free.se" not found.\n',
    'No Object Found\n',
    'free.lv is free\n',
    '# Hello 192.0.2.1\n\nNo entries found for the selected source.\n',
    'The domain has not been registered.\n',
    'above domain name is not registered to KRNIC.\n',
    'Domain free.us is available for registration\n',
    'This domain is available for registration.\n',
  ])('%j', (text) => {
    expect(read('free.de', text)).toEqual({ state: 'available', record: null })
  })
})

describe('a date', () => {
  test.each([
    ['2001-02-03T04:05:06Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T04:05:06.0Z', '2001-02-03T04:05:06Z'],
    ['2001-02-03T04:05:06+02:00', '2001-02-03T04:05:06+02:00'],
    ['2001-02-03 04:05:06+0200', '2001-02-03T04:05:06+02:00'],
    ['2001-02-03', '2001-02-03T00:00:00Z'],
    ['2001/02/03', '2001-02-03T00:00:00Z'],
    ['2001.02.03 04:05:06', '2001-02-03T04:05:06Z'],
    ['2001. 02. 03.', '2001-02-03T00:00:00Z'],
    ['20010203', '2001-02-03T00:00:00Z'],
    ['20010203 04:05:06', '2001-02-03T04:05:06Z'],
    ['03-Feb-2001', '2001-02-03T00:00:00Z'],
    ['3 February 2001', '2001-02-03T00:00:00Z'],
    ['Sat Feb 3 2001', '2001-02-03T00:00:00Z'],
    ['Sat Feb 03 04:05:06 GMT 2001', '2001-02-03T04:05:06Z'],
    ['2001-Feb-03.', '2001-02-03T00:00:00Z'],
    ['03.02.2001', '2001-02-03T00:00:00Z'],
    ['03-02-2001', '2001-02-03T00:00:00Z'],
    ['23/02/2001', '2001-02-23T00:00:00Z'],
    ['03/02/2001', null],
    ['yesterday', null],
    ['', null],
  ])('%s means %s', (text, meaning) => {
    expect(whoisDate(text)).toBe(meaning)
  })
})
