import { type Contradiction, pick } from './contradiction.js';

/** A suite with a passed case and a case with these attributes and this content. */
const suite = (attributes: string, caseAttributes: string, content: string): string =>
  `<testsuite name="s"${attributes}><testcase name="a"${caseAttributes}>${content}</testcase><testcase name="b"/></testsuite>`;

/** Contradictions in JUnit XML. */
export const JUNIT_CONTRADICTIONS: readonly Contradiction[] = [
  {
    format: 'junit',
    pair: 'failures of a suite, and its cases',
    write: (total, cases) => suite(` failures="${pick(total, '0', '1')}"`, '', pick(cases, '', '<failure/>')),
  },
  {
    format: 'junit',
    pair: 'errors of a suite, and its cases',
    write: (total, cases) => suite(` errors="${pick(total, '0', '1')}"`, '', pick(cases, '', '<error/>')),
  },
  {
    format: 'junit',
    pair: 'failures of `<testsuites>`, and the suites',
    write: (total, cases) =>
      `<testsuites failures="${pick(total, '0', '2')}">${suite('', '', pick(cases, '', '<failure/>'))}</testsuites>`,
  },
  {
    format: 'junit',
    pair: 'tests of a suite, and its cases',
    outranks: 'second',
    write: (total, cases) =>
      `<testsuite tests="${pick(total, '2', '3')}"><testcase name="a"/>${pick(cases, '<testcase name="b"/>', '')}</testsuite>`,
  },
  {
    format: 'junit',
    pair: 'status of a suite, and its cases',
    write: (status, cases) => suite(pick(status, '', ' status="failed"'), '', pick(cases, '', '<failure/>')),
  },
  {
    format: 'junit',
    pair: 'status of a case, and its elements',
    write: (status, element) =>
      suite('', ` status="${pick(status, 'passed', 'failed')}"`, pick(element, '', '<failure/>')),
  },
  {
    format: 'junit',
    pair: 'status and result of a case',
    write: (status, result) =>
      suite('', ` status="${pick(status, 'run', 'error')}" result="${pick(result, 'completed', 'timed out')}"`, ''),
  },
  {
    format: 'junit',
    pair: 'success and status of a case',
    write: (success, status) =>
      suite('', ` success="${pick(success, 'True', 'no')}" status="${pick(status, 'passed', 'failed')}"`, ''),
  },
  {
    format: 'junit',
    pair: 'outcome and conclusion of a case',
    write: (outcome, conclusion) =>
      suite(
        '',
        ` outcome="${pick(outcome, 'passed', 'not ok')}" conclusion="${pick(conclusion, 'success', 'unsuccessful')}"`,
        '',
      ),
  },
  {
    format: 'junit',
    pair: 'failed of a suite, and its cases',
    write: (total, cases) => suite(` failed="${pick(total, '0', '1')}"`, '', pick(cases, '', '<failure/>')),
  },
  {
    format: 'junit',
    pair: '`<skipped>` of a case, and its failures',
    write: (error, failure) =>
      suite('', '', pick(error, '', '<skipped/><error/>') + pick(failure, '', '<failure/><skipped/>')),
  },
  {
    format: 'junit',
    pair: 'flaky and rerun runs of a case',
    write: (flaky, rerun) =>
      suite('', '', pick(flaky, '', '<flakyFailure/><failure/>') + pick(rerun, '', '<rerunFailure/>')),
  },
  {
    format: 'junit',
    pair: 'two cases of one name',
    write: (one, other) =>
      `<testsuite><testcase name="a">${pick(one, '', '<failure/>')}</testcase><testcase name="a">${pick(other, '', '<failure/>')}</testcase></testsuite>`,
  },
  {
    format: 'junit',
    pair: 'an element, and the same in another case',
    write: (lower, upper) => suite('', '', pick(lower, '', '<failure/>') + pick(upper, '', '<FAILURE/>')),
  },
  {
    format: 'junit',
    pair: 'an attribute, and the same in another case',
    write: (lower, upper) => suite(` failures="${pick(lower, '0', '1')}"${pick(upper, '', ' Failures="1"')}`, '', ''),
  },
  {
    format: 'junit',
    pair: 'the declared encoding, and the bytes',
    write: (declared, bytes) =>
      Buffer.from(
        `<?xml version="1.0" encoding="${pick(declared, 'UTF-8', 'UTF-7')}"?>${suite('', '', '').replace('"b"', pick(bytes, '"b"', '"\u00fc"'))}`,
        'latin1',
      ),
  },
];
