import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readAnyXml } from './any-xml.js';
import { REPORT_LIMITS, type ReportLimits } from './format.js';
import { readPlainXml } from './plain-xml.js';
import { ReportError } from './report-error.js';
import { ReportText } from './report-text.js';
import type { XmlAttributes, XmlVisitor } from './xml-visitor.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);
const FILES = ['junit', 'cobertura', 'jacoco', 'clover', 'cyclonedx'].flatMap((format) =>
  readdirSync(new URL(format, FIXTURES)).map((file) => `${format}/${file}`),
);
const MARKUP = FILES.filter((path) => bytesOf(path).includes('<')).filter((path) => !path.endsWith('.json'));
const LIMITS: ReportLimits = { ...REPORT_LIMITS, xmlDepth: 6, xmlAttributes: 4, xmlAttributeLength: 40 };

function bytesOf(path: string): Buffer {
  return readFileSync(new URL(path, FIXTURES));
}

/** Everything that a visitor is told, in turn. */
class Listener implements XmlVisitor {
  readonly heard: unknown[] = [];

  open(name: string, attributes: XmlAttributes): void {
    this.heard.push(['open', name, ...attributes]);
  }

  close(name: string): void {
    this.heard.push(['close', name]);
  }

  text(piece: string): void {
    this.heard.push(['text', piece]);
  }
}

/** What the reader of plain XML tells; null where it leaves the document to the other. */
const plainly = (text: ReportText, limits = REPORT_LIMITS): readonly unknown[] | null =>
  readPlainXml(text, limits, () => new Listener())?.heard ?? null;

/** What the parser of all XML tells; null where it refuses the document. */
function strictly(text: ReportText, limits = REPORT_LIMITS): readonly unknown[] | null {
  try {
    return readAnyXml(text, limits, () => new Listener()).heard;
  } catch (error) {
    if (error instanceof ReportError) return null;
    throw error;
  }
}

function textOf(bytes: Buffer, blockSize = bytes.length): ReportText | null {
  const count = Math.ceil(bytes.length / Math.max(1, blockSize));
  const blocks = Array.from({ length: count }, (_, nth) => bytes.subarray(nth * blockSize, (nth + 1) * blockSize));
  try {
    return ReportText.decode('report.xml', ...blocks);
  } catch (error) {
    if (error instanceof ReportError) return null;
    throw error;
  }
}

/** Fails where plain reading tells anything that strict parsing does not; whether it told at all. */
function expectAlike(bytes: Buffer, blockSize?: number, limits?: ReportLimits): boolean {
  const text = textOf(bytes, blockSize);
  const told = text === null ? null : plainly(text, limits);
  if (text === null || told === null) return false;
  expect([bytes.toString(), told]).toEqual([bytes.toString(), strictly(text, limits)]);
  return true;
}

const isPlain = (xml: string): boolean => expectAlike(Buffer.from(xml));

describe('XML that is read plainly', () => {
  it('is nearly every report of the corpus, and says the same as to a strict parser', () => {
    const left = MARKUP.filter((path) => !expectAlike(bytesOf(path)));
    // A document type, and lines that end as those of Windows do.
    expect(left.filter((path) => !/<!DOCTYPE|\r/.test(bytesOf(path).toString()))).toEqual([]);
    expect(MARKUP.length - left.length).toBeGreaterThan(20);
  });

  it('says the same in stretches of any length', () => {
    for (const path of MARKUP) {
      const bytes = bytesOf(path).subarray(0, 20_000);
      const whole = expectAlike(bytes);
      for (const size of [1, 7, 100, 1_000])
        expect([path, size, expectAlike(bytes, size)]).toEqual([path, size, whole]);
    }
  });

  it.each([
    ['<a/>'],
    [' \n<a/>\n '],
    ['<?xml version="1.0"?><a/>'],
    ["<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a></a>"],
    ['<a b="c" d=\'e"f\' ></a >'],
    ['<n:a xml:b="c"><n:d.e-f_1/></n:a>'],
    ['<a b="1\t2\n3 &lt;&gt;&amp;&quot;&apos;&#65;&#x1F6D2;&#10;"/>'],
    ['<a>text &amp; more > ] ]] \'"\t\n é 🛒 \u2028</a>'],
    ['<a><![CDATA[<b>&amp;]]]></a>'],
    ['<a><![CDATA[]]></a>'],
    ['<!-- one --><a>x<!-- & < > two -->y</a><!----> '],
    ['<a b="]]>"/>'],
    ['<a>\n  <b>\n  </b>\n</a>'],
  ])('may be %j', (xml) => {
    expect(isPlain(xml)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['space', ' \n'],
    ['no root', '<!-- x -->'],
    ['two roots', '<a/><b/>'],
    ['text outside of the root', '<a/>x'],
    ['a section outside of the root', '<![CDATA[x]]><a/>'],
    ['text before the root', 'x<a/>'],
    ['a root without an end', '<a>'],
    ['the end of another element', '<a></b>'],
    ['the end of a longer name', '<a></ab>'],
    ['an end that is none', '<a></a b>'],
    ['an end before any beginning', '</a>'],
    ['an end without a name', '<a></></a>'],
    ['a tag without a name', '<a><></a>'],
    ['a name that begins with a digit', '<1/>'],
    ['a name beyond ASCII', '<é/>'],
    ['a name that goes beyond ASCII', '<aé/>'],
    ['an attribute twice', '<a b="1" b="2"/>'],
    ['an attribute without a value', '<a b/>'],
    ['a value without quotes', '<a b=c/>'],
    ['a value without an end', '<a b="c/>'],
    ['attributes without space between', '<a b="c"d="e"/>'],
    ['space around the sign', '<a b ="c"/>'],
    ['a tag within a value', '<a b="<"/>'],
    ['a slash within a tag', '<a / b="c"/>'],
    ['a bare ampersand', '<a>&</a>'],
    ['an ampersand before a space', '<a b="& "/>'],
    ['an entity that nobody declared', '<a>&nbsp;</a>'],
    ['a reference to no character', '<a>&#0;</a>'],
    ['a reference to half of a pair', '<a>&#xD800;</a>'],
    ['a reference beyond all characters', '<a>&#x110000;</a>'],
    ['a reference in upper case', '<a>&#X41;</a>'],
    ['a reference with many digits', '<a>&#00000065;</a>'],
    ['the end of a section', '<a>]]></a>'],
    ['a section without an end', '<a><![CDATA[x]]</a>'],
    ['two hyphens within a comment', '<a><!-- x -- y --></a>'],
    ['a comment without an end', '<a><!-- x</a>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an internal subset', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['an instruction', '<a><?x y?></a>'],
    ['an instruction before the root', '<?xml-stylesheet href="x"?><a/>'],
    ['a declaration after a space', ' <?xml version="1.0"?><a/>'],
    ['a declaration after a comment', '<!-- x --><?xml version="1.0"?><a/>'],
    ['a declaration of another version', '<?xml version="1.1"?><a/>'],
    ['a declaration without a version', '<?xml encoding="utf-8"?><a/>'],
    ['a declaration of another encoding', '<?xml version="1.0" encoding="latin1"?><a/>'],
    ['a carriage return', '<a>\r\n</a>'],
    ['a carriage return in a value', '<a b="\r"/>'],
    ['a carriage return in a tag', '<a\r/>'],
    ['a control character', '<a>\u0001</a>'],
    ['a control character in a value', '<a b="\u001b"/>'],
    ['a control character in a comment', '<a><!--\u0001--></a>'],
    ['a control character in a section', '<a><![CDATA[\u0001]]></a>'],
    ['a control character that is allowed', '<a>\u0085</a>'],
    ['what is no character', '<a>\ufffe</a>'],
    ['what is no character in a value', '<a b="\uffff"/>'],
  ])('is not %s', (_what, xml) => {
    expect(isPlain(xml)).toBe(false);
  });

  it.each([
    ['depth', '<a>'.repeat(6) + '</a>'.repeat(6), '<a>'.repeat(7) + '</a>'.repeat(7)],
    [
      'depth, at an element that is empty',
      `${'<a>'.repeat(5)}<b/>${'</a>'.repeat(5)}`,
      `${'<a>'.repeat(6)}<b/>${'</a>'.repeat(6)}`,
    ],
    ['attributes', '<a b="" c="" d="" e=""/>', '<a b="" c="" d="" e="" f=""/>'],
    ['a value', `<a b="${'x'.repeat(40)}"/>`, `<a b="${'x'.repeat(41)}"/>`],
  ])('stays within the limit of %s', (_what, within, beyond) => {
    expect([within, beyond].map((xml) => expectAlike(Buffer.from(xml), undefined, LIMITS))).toEqual([true, false]);
  });

  it('has no token of many megabytes', () => {
    const told = (length: number): readonly unknown[] | null => {
      const text = textOf(Buffer.from(`<a>${'x'.repeat(length)}</a>`));
      return text === null ? null : plainly(text);
    };
    expect(told(9_000_000)).toBeNull();
    expect(told(1_000_000)).toHaveLength(3);
  });
});

const PIECES = [
  '<a>|</a>|<a|/>|>|<b c="d"/>|<b>|</b>| e="| f=\'|"|\'|x| |\n|\t|\r|=|/|1|.|:|-|;',
  '&lt;|&amp;|&#65;|&#x0;|&x;|&|<![CDATA[|]]>|]]|<!--|-->|--|<!|<?|<?xml version="1.0"?>|?>|<!DOCTYPE a>',
  'é|🛒|\u0001|\u0085|\ufffe|\ufeff',
].flatMap((some) => some.split('|'));
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 });

describe('whatever is read plainly', () => {
  it('says the same to a strict parser, whatever its pieces', () => {
    let told = 0;
    const shape = fc.tuple(fc.constantFrom('', '<a>', '<a e="'), pieces, fc.constantFrom('', '</a>', '"/>'));
    fc.assert(
      fc.property(shape, fc.integer({ min: 1, max: 60 }), ([before, within, after], size) => {
        if (expectAlike(Buffer.from(before + within.join('') + after), size, LIMITS)) told += 1;
      }),
      { numRuns: 20_000, seed: 20_261_122 },
    );
    expect(told).toBeGreaterThan(300);
  });

  it.each(MARKUP)('says the same to a strict parser, however it was damaged: %s', (path) => {
    const bytes = bytesOf(path);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.constantFrom(...PIECES), fc.nat(3)), {
          minLength: 1,
          maxLength: 3,
        }),
        (changes) => {
          const damaged = changes.reduce<Buffer>(
            (before, [at, piece, lost]) =>
              Buffer.concat([before.subarray(0, at), Buffer.from(piece), before.subarray(at + lost)]),
            bytes,
          );
          expectAlike(damaged, 4_096);
        },
      ),
      { numRuns: 60, seed: 20_261_122 },
    );
  });
});
