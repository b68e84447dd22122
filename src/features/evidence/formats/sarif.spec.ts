import { describe, expect, it } from '@jest/globals';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';
import { sarif } from './sarif.js';

const readText = (text: string): ParsedContent =>
  sarif.read(ReportText.decode('scan.sarif', new TextEncoder().encode(text)), REPORT_LIMITS);

const read = (log: unknown): ParsedContent => readText(JSON.stringify(log, null, 2));

const RULES = [
  { id: 'plain' },
  { id: 'note', defaultConfiguration: { level: 'note' } },
  { id: 'scored', guid: 'aaaa-1', properties: { 'security-severity': '9.1' } },
  { id: 'low', properties: { 'security-severity': '1.0' } },
];

const run = (results: unknown, rest: object = {}): object => ({
  tool: { driver: { name: 'Scanner', rules: RULES } },
  results,
  ...rest,
});

const log = (...runs: unknown[]): object => ({ version: '2.1.0', runs });

/** `critical high medium low` of one result. */
function toSeverity(result: object): string {
  const { measure } = read(log(run([result])));
  if (measure.of !== 'findings') throw new Error(measure.of);
  const { critical, high, medium, low } = measure.value;
  return [critical, high, medium, low].join(' ');
}

const scored = (score: unknown): object => ({ properties: { 'security-severity': score } });

describe('a result', () => {
  it.each([
    ['that was observed five times is five', { level: 'error', occurrenceCount: 5 }, '0 5 0 0'],
    ['that was never observed is one', { level: 'error', occurrenceCount: 0 }, '0 1 0 0'],
    ['that was observed as often as can be counted', { level: 'note', occurrenceCount: 1e9 }, '0 0 0 1000000000'],
    ['of level none is none, however often it was observed', { level: 'none', occurrenceCount: 5 }, '0 0 0 0'],
    ['of level error is high', { level: 'error' }, '0 1 0 0'],
    ['of level warning is medium', { level: 'warning' }, '0 0 1 0'],
    ['of level note is low', { level: 'note' }, '0 0 0 1'],
    ['of level none is none', { level: 'none' }, '0 0 0 0'],
    ['without level or rule is a warning', {}, '0 0 1 0'],
    ['of a rule without a level is a warning', { ruleId: 'plain' }, '0 0 1 0'],
    ['of an unknown rule is a warning', { ruleId: 'other' }, '0 0 1 0'],
    ['takes its level from its rule by id', { ruleId: 'note' }, '0 0 0 1'],
    ['takes its level from its rule by a more specific id', { ruleId: 'note/1/a' }, '0 0 0 1'],
    ['takes its level from its rule by index', { ruleIndex: 1 }, '0 0 0 1'],
    ['takes its level from its rule by reference', { rule: { index: 1 } }, '0 0 0 1'],
    ['takes its level from its rule by the id of a reference', { rule: { id: 'note' } }, '0 0 0 1'],
    ['has no rule by the index -1', { ruleIndex: -1, ruleId: 'note' }, '0 0 0 1'],
    ['uses its own level before that of its rule', { ruleId: 'note', level: 'error' }, '0 1 0 0'],
    ['takes its score from its rule', { ruleId: 'scored', level: 'note' }, '1 0 0 0'],
    ['uses the worse of its own score and that of its rule', { ruleId: 'scored', ...scored('0.0') }, '1 0 0 0'],
    ['uses its own score if that is worse', { ruleId: 'low', ...scored('9.5') }, '1 0 0 0'],
    ['of a score beyond 10 is critical', scored('98'), '1 0 0 0'],
    ['whose score is a word for critical is critical', scored('CRITICAL'), '1 0 0 0'],
    ['whose score is a word for high is high', scored('high'), '0 1 0 0'],
    ['whose score is a word for low is medium', { ...scored('low'), level: 'note' }, '0 0 1 0'],
    ['of a score in another notation has that score', scored('+9.1e0'), '1 0 0 0'],
    [
      'of a number with the name of a rule that has another index has the worse',
      { ruleId: 'scored', ruleIndex: 1 },
      '1 0 0 0',
    ],
    ['of a rule by index with the name of a better rule has the worse', { ruleId: 'note', ruleIndex: 2 }, '1 0 0 0'],
    ['whose reference has a better index has the worse', { ruleId: 'scored', rule: { index: 1 } }, '1 0 0 0'],
    ['whose reference has a worse index has the worse', { ruleId: 'note', rule: { index: 2 } }, '1 0 0 0'],
    ['whose reference has a worse name has the worse', { ruleIndex: 1, rule: { id: 'scored' } }, '1 0 0 0'],
    ['whose reference has a worse GUID has the worse', { ruleIndex: 1, rule: { guid: 'AAAA-1' } }, '1 0 0 0'],
    ['whose indexes differ has the worse', { ruleIndex: 1, rule: { index: 2 } }, '1 0 0 0'],
    ['of two rules of one level and another score has the worse', { ruleId: 'low', ruleIndex: 0 }, '0 0 1 0'],
    ['of two rules with scores has the higher one', { ruleId: 'scored', ruleIndex: 3 }, '1 0 0 0'],
    ['of two rules with scores has the higher one, in any order', { ruleId: 'low', ruleIndex: 2 }, '1 0 0 0'],
    ['of a mild rule by index with the name of no rule is a warning', { ruleId: 'other', ruleIndex: 1 }, '0 0 1 0'],
    ['of a severe rule by index with the name of no rule has the worse', { ruleId: 'other', ruleIndex: 2 }, '1 0 0 0'],
    ['of a rule of that name has its own level', { ruleId: 'note', ruleIndex: 0, level: 'note' }, '0 0 0 1'],
    ['of kind fail with the level none is a warning', { kind: 'fail', level: 'none' }, '0 0 1 0'],
    ['of kind pass with a level counts', { kind: 'pass', level: 'error' }, '0 1 0 0'],
    ['of kind informational with a level counts', { kind: 'informational', level: 'note' }, '0 0 0 1'],
    ['of 10 is critical', scored('10.0'), '1 0 0 0'],
    ['of 9 is critical', scored('9.0'), '1 0 0 0'],
    ['of 8.9 is high', scored('8.9'), '0 1 0 0'],
    ['of 7 is high', scored(7), '0 1 0 0'],
    ['of 6.9 is medium', scored('6.9'), '0 0 1 0'],
    ['of 4 is medium', scored('4.0'), '0 0 1 0'],
    ['of 3.9 is low', { ...scored('3.9'), level: 'error' }, '0 0 0 1'],
    ['of no score has its level', { ...scored(''), level: 'error' }, '0 1 0 0'],
    ['of level none with a score counts', { ...scored('9.8'), level: 'none' }, '1 0 0 0'],
    ['of kind fail counts', { kind: 'fail', level: 'error' }, '0 1 0 0'],
    [
      'with a suppression under review counts',
      { level: 'error', suppressions: [{ kind: 'external', status: 'underReview' }] },
      '0 1 0 0',
    ],
    [
      'with a rejected suppression counts',
      { level: 'error', suppressions: [{ kind: 'inSource' }, { kind: 'external', status: 'rejected' }] },
      '0 1 0 0',
    ],
    ['without suppressions counts', { level: 'error', suppressions: [] }, '0 1 0 0'],
    ['that the baseline also has counts', { level: 'error', baselineState: 'unchanged' }, '0 1 0 0'],
  ])('%s', (_name, result, severity) => {
    expect(toSeverity(result)).toBe(severity);
  });

  it.each([
    ['of kind pass', { kind: 'pass', level: 'none' }],
    ['of kind notApplicable', { kind: 'notApplicable', ruleId: 'scored' }],
    ['of kind review', { kind: 'review' }],
    ['suppressed', { level: 'error', suppressions: [{ kind: 'inSource' }] }],
    ['suppressed', { ...scored('9.9'), suppressions: [{ kind: 'external', status: 'accepted' }] }],
    ['absent since the baseline', { level: 'error', baselineState: 'absent' }],
    ['of level none', { level: 'none' }],
  ])('that is %s is noted, not counted', (why, result) => {
    expect(read(log(run([result, result])))).toMatchObject({
      measure: { value: { critical: 0, high: 0, medium: 0, low: 0 } },
      notes: [`Scanner: 2 results not counted: ${why}`],
    });
  });

  it('finds its rule in an extension, by reference or by name', () => {
    const tool = {
      driver: { name: 'Scanner', rules: [{ id: 'a', defaultConfiguration: { level: 'note' } }] },
      extensions: [{ name: 'pack', rules: [{ id: 'b', defaultConfiguration: { level: 'error' } }] }],
    };
    const results = [{ rule: { index: 0, toolComponent: { index: 0 } } }, { ruleId: 'b' }, { ruleId: 'a' }];
    expect(read(log(run(results, { tool }))).measure).toMatchObject({ value: { high: 2, low: 1 } });
  });

  it.each(['undefined', 'NaN', 'n/a', '-1', ' ', '9,8', -0.1, true, {}, []])(
    'whose security-severity is %j is medium, or worse by its level, with a note',
    (score) => {
      const note = 'Scanner: 1 results have a security-severity that is no number: at least medium';
      for (const [level, expected] of [
        [{}, '0 0 1 0'],
        [{ level: 'note' }, '0 0 1 0'],
        [{ level: 'none' }, '0 0 1 0'],
        [{ level: 'error' }, '0 1 0 0'],
      ] as const) {
        expect(toSeverity({ ...scored(score), ...level })).toBe(expected);
        const rules = [{ id: 'odd', ...scored(score), defaultConfiguration: level }];
        const { measure, notes } = read(
          log(run([{ ruleId: 'odd' }], { tool: { driver: { name: 'Scanner', rules } } })),
        );
        const [critical, high, medium, low] = expected.split(' ').map(Number);
        expect({ measure, notes }).toMatchObject({
          measure: { value: { critical, high, medium, low } },
          notes: [note],
        });
      }
    },
  );

  it('keeps a readable score beside an unreadable one', () => {
    expect(toSeverity({ ruleId: 'scored', ...scored('undefined') })).toBe('1 0 0 0');
    expect(toSeverity({ ruleId: 'low', ...scored('undefined') })).toBe('0 0 1 0');
    expect(toSeverity({ ruleId: 'low', ...scored('undefined'), level: 'error' })).toBe('0 1 0 0');
    const rules = [{ id: 'odd', ...scored('undefined') }];
    const result = { ruleId: 'odd', ...scored('1.0'), level: 'error' };
    expect(read(log(run([result], { tool: { driver: { name: 'Scanner', rules } } }))).measure).toMatchObject({
      value: { high: 1, low: 0 },
    });
  });

  it.each([
    [{ ruleId: 'scored', ruleIndex: 1 }],
    [{ ruleId: 'scored', ...scored('1.0') }],
    [{ ruleIndex: 3, rule: { index: 1 }, ruleId: 'plain' }],
  ])('that can be read with several severities is noted: %j', (result) => {
    expect(read(log(run([result, result]))).notes).toEqual([
      'Scanner: 2 results state several severities: the worst counts',
    ]);
  });

  it.each([
    [{ ruleId: 'note/1', ruleIndex: 1 }],
    [{ ruleId: 'other' }],
    [{ ruleId: 'other', ruleIndex: 0 }],
    [{ ruleId: 'note', ruleIndex: 0, level: 'error' }],
    [{ ruleId: 'scored', ...scored('9.9') }],
  ])('that can be read with one severity is not noted: %j', (result) => {
    expect(read(log(run([result]))).notes).toEqual([]);
  });

  const twice = (...levels: readonly string[]): object => ({
    tool: {
      driver: { name: 'Scanner', rules: levels.map((level) => ({ id: 'twice', defaultConfiguration: { level } })) },
    },
  });
  it.each([
    ['note', 'error'],
    ['error', 'note'],
    ['none', 'note', 'error', 'note'],
  ])('of an id that several rules have has the worst of their levels: %j', (...levels) => {
    const results = [{ ruleId: 'twice' }, { ruleId: 'twice', ruleIndex: 0 }, { ruleId: 'twice/1', ruleIndex: 1 }];
    expect(read(log(run(results, twice(...levels)))).measure).toMatchObject({ value: { high: 3 } });
  });

  it('of an id that the driver and an extension have has the worse of both, unless it names one of them', () => {
    const rules = (level: string): object[] => [{ id: 'a', defaultConfiguration: { level } }];
    const tool = {
      driver: { name: 'Scanner', rules: rules('note') },
      extensions: [
        { name: 'pack', guid: 'FFFF-2', rules: rules('error') },
        { name: 'mild', rules: rules('warning') },
      ],
    };
    const severities = (...references: readonly object[]): unknown =>
      read(log(run(references, { tool }))).measure.value;
    expect(severities({ ruleId: 'a' })).toMatchObject({ high: 1 });
    for (const toolComponent of [{ index: 1 }, { name: 'mild' }, { index: 1, name: 'mild' }])
      expect(severities({ rule: { id: 'a', toolComponent } })).toMatchObject({ medium: 1 });
    for (const toolComponent of [
      { index: 0 },
      { guid: 'ffff-2' },
      { index: 1, name: 'pack' },
      { index: 0, name: 'mild' },
    ])
      expect(severities({ rule: { index: 0, toolComponent } })).toMatchObject({ high: 1 });
  });

  const overriding = (overrides: readonly object[], results: readonly object[], level = 'note'): ParsedContent => {
    const driver = { name: 'Scanner', rules: [{ id: 'a', guid: 'AB', defaultConfiguration: { level } }, { id: 'b' }] };
    const invocations = [
      { executionSuccessful: true, ruleConfigurationOverrides: overrides },
      { executionSuccessful: true },
    ];
    return read(log(run(results, { tool: { driver }, invocations })));
  };
  const override = (descriptor: object, level?: string): object => ({
    descriptor,
    configuration: level === undefined ? {} : { level },
  });

  it.each([
    ['id', [override({ id: 'a' }, 'error')]],
    ['index', [override({ index: 0 }, 'error')]],
    ['GUID', [override({ guid: 'ab' }, 'error')]],
    ['a more specific id', [override({ id: 'a/1' }, 'error')]],
    [
      'the worst of several',
      [override({ id: 'a' }, 'error'), override({ id: 'a' }, 'note'), override({ index: 0 }, 'warning')],
    ],
  ])('has the level to which an invocation sets its rule, by %s', (_name, overrides) => {
    for (const result of [{ ruleId: 'a' }, { ruleIndex: 0 }, { ruleId: 'a', provenance: { invocationIndex: 0 } }])
      expect(overriding(overrides, [result]).measure).toMatchObject({ value: { high: 1 } });
    expect(overriding(overrides, [{ ruleId: 'b' }, { ruleId: 'a', level: 'note' }]).measure).toMatchObject({
      value: { medium: 1, low: 1 },
    });
  });

  it('has a better level by an invocation only if it names that invocation', () => {
    const overrides = [override({ id: 'a' }, 'note')];
    const results = [{ ruleId: 'a' }, { ruleId: 'a', provenance: { invocationIndex: 1 } }];
    expect(overriding(overrides, results, 'error').measure).toMatchObject({ value: { high: 2, low: 0 } });
    const named = [{ ruleId: 'a', provenance: { invocationIndex: 0 } }];
    expect(overriding(overrides, named, 'error').measure).toMatchObject({ value: { high: 0, low: 1 } });
    const ambiguous = [{ ruleIndex: 0, ruleId: 'b', provenance: { invocationIndex: 0 } }];
    expect(overriding(overrides, ambiguous, 'error').measure).toMatchObject({ value: { high: 1, low: 0 } });
    expect(overriding([override({ id: 'a' })], [{ ruleId: 'a' }]).measure).toMatchObject({ value: { medium: 1 } });
  });

  it('is read in linear time, however many rules have its id', () => {
    const count = 20_000;
    const rules = Array.from({ length: count }, () => ({ id: 'a', guid: 'g' }));
    const descriptor = { id: 'a', guid: 'g' };
    const invocations = [
      {
        executionSuccessful: true,
        ruleConfigurationOverrides: Array.from({ length: count }, () => ({
          descriptor,
          configuration: { level: 'note' },
        })),
      },
    ];
    const results = Array.from({ length: count }, () => ({ ruleId: 'a', ruleIndex: 7, rule: { guid: 'g' } }));
    expect(read(log(run(results, { tool: { driver: { name: 'S', rules } }, invocations }))).measure).toMatchObject({
      value: { medium: count },
    });
  });

  it('is shown worst first, with its location', () => {
    const location = { physicalLocation: { artifactLocation: { uri: 'src/pay.ts' }, region: { startLine: 7 } } };
    const results = [
      { level: 'note', message: { text: 'a nit' } },
      { ruleId: 'scored', message: { text: 'an injection' }, locations: [location] },
    ];
    expect(read(log(run(results))).details).toEqual([
      { title: 'critical: scored', location: 'src/pay.ts:7', message: 'an injection' },
      { title: 'low: note', location: null, message: 'a nit' },
    ]);
  });

  it('is shown at most a hundred times, the worst first', () => {
    const notes = Array.from({ length: 150 }, () => ({ level: 'note' }));
    const { details, measure } = read(log(run([...notes, { level: 'error' }])));
    expect(measure).toMatchObject({ value: { high: 1, low: 150 } });
    expect(details).toHaveLength(100);
    expect(details[0]?.title).toBe('high: error');
  });
});

describe('a run', () => {
  it('is added to the other runs', () => {
    const first = run([{ level: 'error' }]);
    expect(read(log(first, run([]), first)).measure).toMatchObject({ value: { high: 2 } });
  });

  it.each([
    [
      'did not succeed',
      { invocations: [{ executionSuccessful: true }, { executionSuccessful: false }] },
      'Scanner reports that its run did not succeed',
    ],
    ['has null for results', { results: null }, 'Scanner has no results, not even an empty list: it did not scan'],
    [
      'stores results elsewhere',
      { externalPropertyFileReferences: { results: [{ location: { uri: 'results.sarif' } }] } },
      'Scanner stores results in another file',
    ],
    ['has no results', { results: undefined }, 'Scanner has no results, not even an empty list: it did not scan'],
  ])('fails if it %s', (_name, rest, failure) => {
    expect(read(log(run([]), run([], rest))).failures).toEqual([failure]);
  });

  it.each([
    [{ processStartFailureMessage: 'no such file' }, 'Scanner did not start: no such file'],
    [{ exitSignalName: 'SIGKILL', exitSignalNumber: 9 }, 'Scanner was ended by SIGKILL'],
    [{ exitSignalNumber: 9 }, 'Scanner was ended by signal 9'],
  ])('fails if its process did, though it states otherwise: %j', (rest, failure) => {
    expect(read(log(run([], { invocations: [{ executionSuccessful: true, ...rest }] }))).failures).toEqual([failure]);
  });

  it('notes the errors that it reports', () => {
    const invocation = {
      executionSuccessful: true,
      exitSignalName: '',
      toolExecutionNotifications: [
        { level: 'error', message: { text: 'a file does not parse' } },
        { level: 'warning', message: { text: 'slow' } },
        { message: { text: 'a warning' } },
      ],
      toolConfigurationNotifications: [{ level: 'error', message: { id: 'CFG1' } }, { level: 'error' }],
    };
    expect(read(log(run([], { invocations: [invocation] })))).toMatchObject({
      failures: [],
      notes: [
        'Scanner reported an error: a file does not parse',
        'Scanner reported an error: CFG1',
        'Scanner reported an error: no message',
      ],
    });
  });

  it('that found nothing does not fail', () => {
    expect(read(log(run([], { invocations: [{ executionSuccessful: true }] })))).toMatchObject({
      failures: [],
      notes: [],
    });
  });
});

describe('a result that was observed several times', () => {
  const result = { ruleId: 'note', locations: [{ physicalLocation: { artifactLocation: { uri: 'a.ts' } } }] };

  it('counts with its identity, and is noted', () => {
    const { measure, notes } = read(log(run([{ ...result, occurrenceCount: 5 }, result])));
    expect(measure).toMatchObject({ value: { low: 6 }, findings: [{ label: 'note in a.ts', count: 6 }] });
    expect(notes).toEqual(['Scanner: 1 results were observed several times: each occurrence counts']);
  });

  it.each([-1, 1.5, '5', 1e9 + 1])('is rejected with the count %j', (occurrenceCount) => {
    expect(() => read(log(run([{ ...result, occurrenceCount }])))).toThrow('runs[0].results[0].occurrenceCount: ');
  });
});

describe('a document that is rejected', () => {
  it.each([
    ['no run', log(), 'runs: no run: nothing was scanned'],
    ['another version', { version: '2.0.0', runs: [run([])] }, 'version: version 2.1.0 is expected'],
    [
      'results outside of the runs',
      { ...log(run([])), inlineExternalProperties: [{ results: [{ level: 'error' }] }] },
      'inlineExternalProperties: external properties are not supported',
    ],
    ['runs that are no list', { version: '2.1.0', runs: {} }, 'runs: an array is expected'],
    ['a run without a tool', log({ results: [] }), 'runs[0].tool: an object is expected'],
    ['a tool without a driver', log({ tool: {}, results: [] }), 'runs[0].tool.driver: an object is expected'],
    [
      'a driver without a name',
      log({ tool: { driver: {} }, results: [] }),
      'runs[0].tool.driver.name: a string is expected',
    ],
    ['results that are no list', log(run({})), 'runs[0].results: an array is expected'],
    ['a result that is no object', log(run(['high'])), 'runs[0].results[0]: an object is expected'],
    [
      'an unknown level',
      log(run([{}, { level: 'fatal' }])),
      'runs[0].results[1].level: one of none, note, warning, error is expected',
    ],
    ['a level of null', log(run([{ level: null }])), 'runs[0].results[0].level: one of'],
    ['an unknown kind', log(run([{ kind: 'maybe' }])), 'runs[0].results[0].kind: one of'],
    [
      'an unknown status',
      log(run([{ suppressions: [{ status: 'ok' }] }])),
      'runs[0].results[0].suppressions[0].status: one of',
    ],
    ['a rule out of range', log(run([{ ruleIndex: 4 }])), 'runs[0].results[0].ruleIndex: an index into'],
    [
      'a fraction as the index of a rule',
      log(run([{ ruleIndex: 0.5 }])),
      'runs[0].results[0].ruleIndex: an index into',
    ],
    [
      'a success that is not a boolean',
      log(run([], { invocations: [{}] })),
      'runs[0].invocations[0].executionSuccessful: true or false is expected',
    ],
    [
      'a notification of an unknown level',
      log(run([], { invocations: [{ executionSuccessful: true, toolExecutionNotifications: [{ level: 'fatal' }] }] })),
      'toolExecutionNotifications[0].level: one of',
    ],
    [
      'the name of no tool component',
      log(run([{ rule: { index: 0, toolComponent: { name: 'pack' } } }])),
      'runs[0].results[0].rule.toolComponent: the name or GUID of one tool component of the run is expected',
    ],
  ])('%s', (_name, document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });

  it('names the line of a value', () => {
    const text =
      '{"version": "2.1.0", "runs": [\n{"tool": {"driver": {"name": "S"}},\n "results": [\n  {"level":\n    "fatal"}]}]}';
    expect(() => readText(text)).toThrow('scan.sarif:5:5: runs[0].results[0].level: one of none, note, warning, error');
  });

  it('names the line of its container if a value is missing', () => {
    const text = '{"version": "2.1.0",\n "runs": [\n  {"results": []}]}';
    expect(() => readText(text)).toThrow('scan.sarif:3:3: runs[0].tool: an object is expected');
  });

  it.each([
    ['a syntax error', '{"version": "2.1.0",\n\n"runs": [}', 3],
    ['a missing end', '{"version": "2.1.0",\n"runs": [', 2],
    ['a depth of 65', `{"version": "2.1.0",\n"runs": ${'['.repeat(64)}${']'.repeat(64)}}`, 2],
    ['a depth of a million', `{"version": "2.1.0",\n"runs": ${'['.repeat(1_000_000)}`, 2],
  ])('%s, by its line', (_name, text, line) => {
    expect(() => readText(text)).toThrow(`scan.sarif:${line}:`);
  });
});
