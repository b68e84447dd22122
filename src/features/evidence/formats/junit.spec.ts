import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { junit } from './junit.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

function read(xml: string): ParsedContent {
  return junit.read(ReportText.decode('report.xml', new TextEncoder().encode(xml)), REPORT_LIMITS);
}

/** `total passed failed skipped flaky` of a suite with these cases. */
function countsOf(cases: string): string {
  const { measure } = read(`<testsuite name="cart">${cases}</testsuite>`);
  if (measure.of !== 'tests') throw new Error(measure.of);
  const { total, passed, failed, skipped, flaky = 0 } = measure.value;
  return [total, passed, failed, skipped, flaky].join(' ');
}

describe('a test case', () => {
  it.each([
    ['passes without children', '<testcase/>', '1 1 0 0 0'],
    ['passes with output', '<testcase><system-out>failure</system-out><system-err/></testcase>', '1 1 0 0 0'],
    ['fails', '<testcase><failure/></testcase>', '1 0 1 0 0'],
    ['fails by an error', '<testcase><error/></testcase>', '1 0 1 0 0'],
    ['fails once, however often', '<testcase><failure/><failure/><error/></testcase>', '1 0 1 0 0'],
    ['fails by an error, though skipped', '<testcase><skipped/><error/></testcase>', '1 0 1 0 0'],
    ['fails by an error and a failure', '<testcase><skipped/><failure/><error/></testcase>', '1 0 1 0 0'],
    ['fails by its status, though skipped', '<testcase status="failed"><skipped/><failure/></testcase>', '1 0 1 0 0'],
    [
      'fails in a step before a skipped one',
      '<testcase><step><failure/></step><step><skipped/></step></testcase>',
      '1 0 1 0 0',
    ],
    ['fails in a step, though skipped', '<testcase><skipped/><step><failure/></step></testcase>', '1 0 1 0 0'],
    ['fails where a step was skipped', '<testcase><step><skipped/></step><failure/></testcase>', '1 0 1 0 0'],
    [
      'fails before Catch2 skips the rest of it',
      '<testcase><failure type="CHECK"/><skipped type="SKIP"/></testcase>',
      '1 0 1 0 0',
    ],
    ['fails, though flaky before', '<testcase><flakyFailure/><failure/></testcase>', '1 0 1 0 0'],
    ['fails with its reruns', '<testcase><failure/><rerunFailure/><rerunError/></testcase>', '1 0 1 0 0'],
    ['fails by reruns alone', '<testcase><rerunError/></testcase>', '1 0 1 0 0'],
    ['fails in a step', '<testcase><steps><step><failure/></step></steps></testcase>', '1 0 1 0 0'],
    ['fails by its status', '<testcase status="Failed"/>', '1 0 1 0 0'],
    ['fails by its result', '<testcase status="run" result="timedout"/>', '1 0 1 0 0'],
    ['fails by a status of two words', '<testcase status="TIMED OUT"/>', '1 0 1 0 0'],
    ['fails by a timeout', '<testcase status="timeout"/>', '1 0 1 0 0'],
    ['fails by a crash', '<testcase result="crashed"/>', '1 0 1 0 0'],
    ['fails by a hook', '<testcase status="hook_error"/>', '1 0 1 0 0'],
    ['fails where it was cancelled', '<testcase status="cancelled"/>', '1 0 1 0 0'],
    ['is flaky', '<testcase><flakyFailure/><flakyError/></testcase>', '1 1 0 0 1'],
    ['is skipped', '<testcase><skipped/></testcase>', '1 0 0 1 0'],
    ['is pending', '<testcase><pending/></testcase>', '1 0 0 1 0'],
    ['is disabled', '<testcase><disabled/></testcase>', '1 0 0 1 0'],
    ['is ignored', '<testcase><ignored/></testcase>', '1 0 0 1 0'],
    ['is a todo', '<testcase><todo/></testcase>', '1 0 0 1 0'],
    ['is skipped by node:test', '<testcase><skipped type="skipped"/><failure/></testcase>', '1 0 0 1 0'],
    [
      'is skipped by node:test after it failed',
      '<testcase><failure/><skipped type="skipped"/></testcase>',
      '1 0 0 1 0',
    ],
    [
      'fails by a failure of a type that marks skipped tests',
      '<testcase><failure type="todo"/></testcase>',
      '1 0 1 0 0',
    ],
    ['fails by an error, though a todo', '<testcase><skipped type="todo"/><error/></testcase>', '1 0 1 0 0'],
    ['fails by its status, though a todo', '<testcase status="failed"><skipped type="todo"/></testcase>', '1 0 1 0 0'],
    ['fails, though a todo of an unknown tool', '<testcase><todo/><failure/></testcase>', '1 0 1 0 0'],
    ['fails by reruns, though skipped', '<testcase><skipped/><rerunFailure/></testcase>', '1 0 1 0 0'],
    ['fails, though skipped', '<testcase><skipped/><failure/></testcase>', '1 0 1 0 0'],
    ['fails, and is skipped after that', '<testcase><failure/><failure/><skipped/></testcase>', '1 0 1 0 0'],
    ['fails by its success, which is false', '<testcase success="False"/>', '1 0 1 0 0'],
    ['passes by its success', '<testcase success="true"/>', '1 1 0 0 0'],
    [
      'may throw according to a tag of Catch2',
      '<testcase><skipped message="TEST_CASE tagged with !mayfail"/><error/></testcase>',
      '1 0 0 1 0',
    ],
    ['is a todo that fails', '<testcase><skipped type="todo"/><failure/></testcase>', '1 0 0 1 0'],
    ['was not run', '<testcase status="notrun"/>', '1 0 0 1 0'],
    ['was not run, in two words', '<testcase status="Not Run"/>', '1 0 0 1 0'],
    ['is inconclusive', '<testcase result="Inconclusive"/>', '1 0 0 1 0'],
    ['passes by its status', '<testcase status="run" result="completed"/>', '1 1 0 0 0'],
    [
      'could not be started by CTest',
      '<testcase status="notrun"><skipped message="Unable to find executable"/></testcase>',
      '1 0 1 0 0',
    ],
    [
      'was skipped by CTest',
      '<testcase status="notrun"><skipped message="SKIP_RETURN_CODE=1"/></testcase>',
      '1 0 0 1 0',
    ],
    ['was not run, for any reason', '<testcase status="notrun"><skipped/></testcase>', '1 0 0 1 0'],
    [
      'is skipped for a reason',
      '<testcase status="run" result="skipped"><skipped message="no cents"/></testcase>',
      '1 0 0 1 0',
    ],
  ])('%s', (_name, xml, counts) => {
    expect(countsOf(xml)).toBe(counts);
  });

  it.each([
    ['a failure and an error of one test', '<failure/>', '<error/>', 'a', '1 0 1 0 0'],
    ['an error and a failure of one test', '<error/>', '<failure/>', 'a', '1 0 1 0 0'],
    ['two failures of tests with the same name', '<failure/>', '<failure/>', 'a', '2 0 2 0 0'],
    ['a failure and an error of two tests', '<failure/>', '<error/>', 'b', '2 0 2 0 0'],
    ['a failure and a pass', '<failure/>', '', 'a', '2 1 1 0 0'],
    ['a pass and a failure', '', '<failure/>', 'a', '2 1 1 0 0'],
    ['a failure and a skipped test', '<failure/>', '<skipped/>', 'a', '2 0 1 1 0'],
  ])('counts %s', (_name, first, second, name, counts) => {
    const cases = `<testcase classname="c" name="a">${first}</testcase><testcase classname="c" name="${name}">${second}</testcase>`;
    expect(countsOf(cases)).toBe(counts);
  });

  it('is counted at any position, under any prefix', () => {
    const xml = `<t:testsuites xmlns:t="urn:t"><t:testcase/><t:testsuite><t:testsuite><t:testcase><t:failure/></t:testcase></t:testsuite>
      <t:testcase/></t:testsuite></t:testsuites>`;
    expect(read(xml).measure).toMatchObject({ value: { total: 3, passed: 2, failed: 1, skipped: 0 } });
  });
});

describe('a suite', () => {
  it.each([
    ['fails by an error of its own', '<error message="no database"/><testcase/>', 'suite "cart" failed: no database'],
    ['fails by a failure of its own', '<testcase/><failure>no\ncart</failure>', 'suite "cart" failed: no\ncart'],
    ['fails without a reason', '<testcase/><error/>', 'suite "cart" failed: no reason given'],
    ['fails without tests', '', 'no tests'],
  ])('%s', (_name, content, failure) => {
    expect(read(`<testsuite name="cart">${content}</testsuite>`).failures).toEqual([failure]);
  });

  it('does not fail because of text on its error stream', () => {
    expect(read('<testsuite><testcase/><system-err>error</system-err></testsuite>').failures).toEqual([]);
  });

  it.each(['failures="2"', 'errors="2"', 'failures="1" errors="1"'])(
    'that states %s fails, though its cases passed, with one note',
    (stated) => {
      const xml = `<testsuites ${stated}><testsuite name="cart" ${stated}><testcase/></testsuite></testsuites>`;
      expect(read(xml)).toMatchObject({
        measure: { value: { passed: 1, failed: 0 } },
        failures: ['suite "cart" states 2 failures that no test case has'],
      });
    },
  );

  it('that states more failures than its cases have fails by the rest', () => {
    expect(read('<testsuite failures="3"><testcase><failure/></testcase><testcase/></testsuite>')).toMatchObject({
      measure: { value: { failed: 1 } },
      failures: ['a suite without a name states 2 failures that no test case has'],
    });
  });

  it.each(['status="failed"', 'result="Timed Out"', 'success="false"'])(
    'with %s fails, though its cases passed',
    (status) => {
      const { failures } = read(`<testsuites><testsuite name="cart" ${status}><testcase/></testsuite></testsuites>`);
      expect(failures).toEqual([expect.stringMatching(/^suite "cart" states "\w+", and no test case failed$/)]);
      expect(read(`<testsuite ${status}><testcase><failure/></testcase></testsuite>`).failures).toEqual([]);
    },
  );

  it('does not fail by a failure that it states of a todo, as node:test does', () => {
    const xml = '<testsuite failures="1"><testcase/><testcase><skipped type="todo"/><failure/></testcase></testsuite>';
    expect(read(xml)).toMatchObject({
      measure: { value: { passed: 1, failed: 0, skipped: 1 } },
      failures: [],
      notes: [],
    });
  });

  describe('of Vitest', () => {
    const vitest = (...suites: readonly string[]): ParsedContent =>
      read(`<testsuites name="vitest tests">${suites.join('')}</testsuites>`);
    const passed = '<testsuite name="cart.test.js" time="0.1"><testcase name="adds" time="0"/></testsuite>';

    it('fails without a test: its file never ran', () => {
      expect(vitest(passed, '<testsuite name="till.test.js" time="0"/>')).toMatchObject({
        failures: ['suite "till.test.js" contains no test: it did not run'],
        notes: [],
      });
    });

    it('gets a note if its passed tests took no time, because its process may have ended early', () => {
      const silent = '<testsuite name="till.test.js" time="0"><testcase name="pays" time="0"/></testsuite>';
      expect(vitest(passed, silent)).toMatchObject({
        failures: [],
        notes: ['suite "till.test.js" took no time: its process may have crashed'],
      });
    });

    it('gets no note if the suite was skipped', () => {
      const skipped = '<testsuite name="till.test.js" time="0"><testcase name="pays"><skipped/></testcase></testsuite>';
      expect(vitest(passed, skipped)).toMatchObject({ failures: [], notes: [] });
    });
  });

  it('of another tool may be empty', () => {
    expect(read('<testsuites><testsuite time="0"/><testsuite><testcase/></testsuite></testsuites>').failures).toEqual(
      [],
    );
  });

  it('notes if its totals differ from its cases', () => {
    const xml =
      '<testsuite name="cart" tests="3" failures="0" skipped="4"><testcase/><testcase><error/></testcase></testsuite>';
    expect(read(xml)).toMatchObject({
      measure: { value: { total: 2, passed: 1, failed: 1 } },
      failures: [],
      notes: [
        'suite "cart": 3 tests stated, 2 counted',
        'suite "cart": 0 failures stated, 1 counted',
        'suite "cart": 4 skipped stated, 0 counted',
      ],
    });
  });

  it('accepts totals with or without its inner suites, and missing totals', () => {
    const inner = '<testsuite tests="1"><testcase/></testsuite>';
    for (const tests of ['tests="1"', 'tests="2"', 'tests=""', '']) {
      expect(read(`<testsuite ${tests}><testcase/>${inner}</testsuite>`).notes).toEqual([]);
    }
  });

  it.each(['1e999', '-1', '1.5', '9'.repeat(16), 'many'])('may not state %s tests', (count) => {
    expect(() => read(`<testsuites>\n<testsuite tests="${count}"/></testsuites>`)).toThrow(
      /^report\.xml:2:\d+: the attribute tests of a suite is not a count$/,
    );
  });
});

describe('the test results', () => {
  const testResultsWith = (xml: string): readonly string[] => {
    const { measure } = read(xml);
    return testsOf(measure).map(({ name, outcome }) => `${name} ${outcome}`);
  };

  it('contain names of suites, class and test, and not the name of the run', () => {
    const xml = `<testsuites name="run 17"><testsuite name="shop"><testsuite name="cart"><testcase classname="CartTest" name="adds"/>
      </testsuite><testcase name="opens"><skipped/></testcase></testsuite></testsuites>`;
    expect(testResultsWith(xml)).toEqual(['shop › cart › CartTest › adds passed', 'shop › opens skipped']);
  });

  it('contain each test once', () => {
    const xml = `<testsuite name="cart"><testcase name="adds"/><testcase name="adds"><failure/></testcase>
      <testcase name="pays"><failure/></testcase><testcase name="pays"><error/></testcase>
      <testcase name="waits"><flakyFailure/></testcase></testsuite>`;
    expect(testResultsWith(xml)).toEqual(['cart › adds failed', 'cart › pays failed', 'cart › waits flaky']);
  });
});

describe('the failures in the summary', () => {
  it('is the name, place and message of each failed test', () => {
    const xml = `<testsuite><testcase name="adds" classname="cart.CartTest"><failure message="5 is not 4"><![CDATA[at <CartTest>]]></failure><error>late</error></testcase>
      <testcase name="pays" file="pay.js"><failure>  </failure><error>one &amp; two</error></testcase></testsuite>`;
    expect(read(xml).details).toMatchObject([
      { title: 'adds', location: 'cart.CartTest', message: '5 is not 4\nat <CartTest>' },
      { title: 'pays', location: 'pay.js', message: 'one & two' },
    ]);
  });

  it('is bounded', () => {
    const failure = `<testcase name="${'n'.repeat(5_000)}"><failure>${'m'.repeat(200_000)}</failure></testcase>`;
    const { details, measure } = read(`<testsuite>${failure.repeat(120)}</testsuite>`);
    expect(measure).toMatchObject({ value: { failed: 120 } });
    expect(details).toHaveLength(100);
    expect(details[0]?.title).toHaveLength(300);
    expect(details[0]?.message).toHaveLength(1_000);
  });

  it('states how many sentences it omits', () => {
    const { notes } = read(`<testsuites>${'<testsuite tests="2"><testcase/></testsuite>'.repeat(50)}</testsuites>`);
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toBe('and 30 more');
  });
});

describe('a document that is rejected', () => {
  it.each([
    ['an unclosed tag', '<testsuite>\n<testcase>\n</testsuite>', 3, 'unexpected close tag'],
    ['a missing end', '<testsuite>\n<testcase/>\n', 3, 'unclosed tag: testsuite'],
    [
      'an internal subset',
      '<!DOCTYPE testsuite [<!ENTITY a "b">]>\n<testsuite/>',
      1,
      'an internal DTD subset is not allowed',
    ],
    [
      'an empty subset',
      '<!DOCTYPE testsuite SYSTEM "a.dtd" []><testsuite/>',
      1,
      'an internal DTD subset is not allowed',
    ],
    ['an entity', '<testsuite>\n<testcase name="&xxe;"/></testsuite>', 2, 'undefined entity'],
    ['an HTML entity', '<testsuite>&nbsp;</testsuite>', 1, 'undefined entity'],
    ['an inherited property as an entity', '<testsuite>&constructor;</testsuite>', 1, 'undefined entity'],
    ['a reference to NUL', '<testsuite>&#0;</testsuite>', 1, 'malformed character entity'],
    ['a reference to a surrogate', '<testsuite>&#xD800;</testsuite>', 1, 'malformed character entity'],
    ['two roots', '<testsuite/>\n<testsuite/>', 2, 'documents may contain only one root'],
    ['an attribute twice', '<testsuite name="a" name="b"/>', 1, 'duplicate attribute: name'],
    [
      'a case in a case',
      '<testsuite><testcase>\n<testcase/></testcase></testsuite>',
      2,
      'a test case inside a test case',
    ],
    [
      'a suite in a case',
      '<testsuite><testcase>\n<testsuite/></testcase></testsuite>',
      2,
      'a suite inside a test case',
    ],
    [
      'another encoding',
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n<testsuite name="é"/>',
      1,
      'declares the encoding ISO-8859-1, but only UTF-8 and UTF-16 with a byte order mark can be read. Let the tool write UTF-8',
    ],
    ['an unknown encoding', '<?xml version="1.0" encoding="x-none"?>\n<testsuite/>', 1, 'declares the encoding x-none'],
    ['UTF-7', '<?xml version="1.0" encoding="UTF-7"?>\n<testsuite>+ADw-/testsuite>', 1, 'declares the encoding UTF-7'],
    ['UTF-16 that is UTF-8', '<?xml version="1.0" encoding="utf-16"?><testsuite/>', 1, 'declares the encoding utf-16'],
    [
      'ASCII that is UTF-8',
      '<?xml version="1.0" encoding="us-ascii"?><testsuite name="\u00e9"/>',
      1,
      'declares the encoding us-ascii',
    ],
    [
      'an element in upper case',
      '<testsuite><testcase>\n<FAILURE/></testcase></testsuite>',
      2,
      'the element FAILURE must be written as failure',
    ],
    [
      'an error in upper case',
      '<testsuite><testcase/>\n<Error/></testsuite>',
      2,
      'the element Error must be written as error',
    ],
    [
      'a case in upper case',
      '<testsuite>\n<TestCase/></testsuite>',
      2,
      'the element TestCase must be written as testcase',
    ],
    [
      'a root in upper case',
      '<TESTSUITES><testsuite/></TESTSUITES>',
      1,
      'the element TESTSUITES must be written as testsuites',
    ],
    [
      'a rerun in lower case',
      '<testsuite><testcase><rerunfailure/></testcase></testsuite>',
      1,
      'the element rerunfailure must be written as rerunFailure',
    ],
    [
      'a total in upper case',
      '<testsuite Failures="1"><testcase/></testsuite>',
      1,
      'the attribute Failures must be written as failures',
    ],
    [
      'a status in upper case',
      '<testsuite><testcase STATUS="failed"/></testsuite>',
      1,
      'the attribute STATUS must be written as status',
    ],
  ])('%s', (_name, xml, line, reason) => {
    expect(() => read(xml)).toThrow(new RegExp(`^report\\.xml:${line}:\\d+: .*${reason}`));
  });

  it.each([
    ['elements', '<testsuite>'.repeat(1_001), 'nested more than 1000 elements deep'],
    [
      'attributes',
      `<testsuite ${Array.from({ length: 257 }, (_, n) => `a${n}=""`).join(' ')}/>`,
      'more than 256 attributes',
    ],
    ['characters in an attribute', `<testsuite name="${'n'.repeat(1_000_001)}"/>`, 'longer than 1000000 characters'],
  ])('too many %s', (_name, xml, reason) => {
    expect(() => read(xml)).toThrow(reason);
  });

  it.each([
    [
      'an external DTD, which is not fetched',
      '<!DOCTYPE testsuite SYSTEM "http://127.0.0.1:1/[a].dtd"><testsuite><testcase/></testsuite>',
    ],
    ['the entities of XML', '<testsuite name="&lt;&gt;&amp;&quot;&apos;&#10;&#x1F680;"><testcase/></testsuite>'],
    ['another encoding in ASCII', '<?xml version="1.0" encoding="windows-1252"?><testsuite><testcase/></testsuite>'],
    ['a depth of 1,000', `${'<testsuite>'.repeat(999)}<testcase/>${'</testsuite>'.repeat(999)}`],
  ])('but not %s', (_name, xml) => {
    expect(read(xml)).toMatchObject({ measure: { value: { passed: 1 } }, failures: [] });
  });
});
