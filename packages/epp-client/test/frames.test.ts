import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, FrameReader } from '../src/frames.ts'
import { element, parseXml } from '../src/xml.ts'

describe('frames', () => {
  test('come out as they went in, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (texts, cuts) => {
          const reader = new FrameReader(10_000)
          const whole = Buffer.concat(texts.map(encodeFrame))
          const out: string[] = []
          for (let at = 0, turn = 0; at < whole.length; turn++) {
            const end = at + (cuts[turn % cuts.length] ?? 1)
            out.push(...reader.push(whole.subarray(at, end)))
            at = end
          }
          expect(out).toEqual(texts)
          expect(reader.isInFrame).toBe(false)
        },
      ),
    )
  })

  test.each([0, 3, 4, 101, 0xffffffff])('one of %i bytes is none', (length) => {
    const header = Buffer.alloc(4)
    header.writeUInt32BE(length)
    expect(() => new FrameReader(100).push(header)).toThrow('no EPP')
  })

  test('one that is not UTF-8 is rejected', () => {
    const frame = Buffer.from([0, 0, 0, 6, 0xc3, 0x28])
    expect(() => new FrameReader(100).push(frame)).toThrow('UTF-8')
  })
})

describe('XML', () => {
  test('texts and attributes survive', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .filter((value) => !/[^\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(value))
    fc.assert(
      fc.property(text, text, (value, attribute) => {
        const { xml } = element('a', { xmlns: 'urn:a', b: attribute }, element('c', {}, value))
        const read = parseXml(xml)
        expect(read.attributes.get('b')).toBe(attribute)
        expect(read.children[0]?.text).toBe(value.trim())
      }),
    )
  })

  test.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['entities of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ['an unknown entity', '<a>&b;</a>'],
    ['an unknown prefix', '<x:a/>'],
    ['an open element', '<a><b></a>'],
    ['two roots', '<a/><b/>'],
    ['nothing', ''],
    ['a tower of elements', '<a>'.repeat(100) + '</a>'.repeat(100)],
    ['a crowd of elements', `<a>${'<b/>'.repeat(60_000)}</a>`],
  ])('%s is rejected', (_what, text) => {
    expect(() => parseXml(text)).toThrow('The server sent')
  })
})
