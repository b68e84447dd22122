import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { collect } from '../../../../../test/support/collect.js';
import { givenGroup, givenResult, streamOf } from '../../../../../test/support/given-release-group.js';
import type { ReleaseGroupDto } from '../../quality.dto.js';
import { reportDocument, type ReportSubject } from './html-report.js';

const SUBJECT: ReportSubject = {
  org: 'acme',
  reader: 'ada',
  createdAt: new Date('2026-11-21T18:05:00Z'),
  filters: [],
};

const reportOf = async (groups: readonly ReleaseGroupDto[], subject: Partial<ReportSubject> = {}): Promise<string> =>
  (await collect(reportDocument({ ...SUBJECT, ...subject }, streamOf(...groups)))).join('');

const scored = (score: number | null, month: number): ReleaseGroupDto =>
  givenGroup({
    milestoneId: `00000000-0000-4000-8000-0000000000${String(month).padStart(2, '0')}`,
    version: `v1.${month}.0`,
    repo: month % 2 === 0 ? 'payments' : 'checkout',
    scorecard: { ...givenGroup().scorecard, score, grade: score === null ? null : score >= 90 ? 'A' : 'B' },
    results: [givenResult({ createdAt: new Date(Date.UTC(2026, month, 1)) })],
  });

const YEAR = Array.from({ length: 11 }, (_, month) => scored(month === 4 ? null : 80 + month, month)).toReversed();

/** Returns the elements with their attributes. Throws if they are not nested correctly. */
function elementsOf(report: string): readonly { readonly name: string; readonly attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => found.push({ name, attributes: { ...attributes } }));
  parser.on('error', (error) => {
    throw error;
  });
  // Removes elements without an end tag, which XML does not allow, and the style, which is no markup.
  parser
    .write(
      report
        .replace(/<meta[^>]+>/g, '')
        .replace(/<style>[^]*?<\/style>/, '')
        .replace('<!doctype html>', ''),
    )
    .close();
  return found;
}

describe('a report', () => {
  it('begins with its title, its workspace and its time', async () => {
    const report = await reportOf([givenGroup()], {
      filters: [
        ['repo', 'payments'],
        ['environment', 'staging'],
      ],
    });
    expect(report).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(report).toContain('<title>Release quality of acme, 21 November 2026</title>');
    expect(report).toContain('Begun on 21 November 2026 at 18:05 UTC. Made for <bdi>ada</bdi>');
    expect(report).toContain('by repo <bdi>payments</bdi>, environment <bdi>staging</bdi>.');
    expect(await reportOf([givenGroup()])).toContain('All releases with evidence.');
  });

  it('contains all details of a release', async () => {
    const report = await reportOf([givenGroup({ moreResults: 3 })]);
    for (const text of [
      'No better than D: <bdi>1 test of &quot;build and test&quot; fails.</bdi>',
      'Since <bdi>v1.3.0</bdi>, which was shipped before it: score −2.5, line coverage +0.3, 1 test fails anew (<bdi>pays › twice</bdi>), 25 tests are lost (<bdi>pays › once</bdi> and 24 more).',
      'Flaky: 2 tests passed and failed (<bdi>refunds</bdi>, <bdi>retries</bdi>) at the same commit, 1.4 % of all.',
      '142 tests, 140 passed, 1 failed, 1 skipped, 2 flaky',
      '3 older results are not listed',
      '<span class="quiet">incomplete</span>',
    ]) {
      expect(report).toContain(text);
    }
  });

  it.each([
    [{ change: null }, 'Nothing of this repository was shipped before it.'],
    [{ comparison: 'pending', flaky: null } as const, 'Its tests were not compared by name yet.'],
    [{ comparison: 'unknown', flaky: null } as const, 'Its tests cannot be compared by name.'],
    [{ results: [givenResult({ decides: false, metrics: {} })] }, '(does not decide)'],
  ])('marks unknown values: %j', async (group, text) => {
    expect(await reportOf([givenGroup(group)])).toContain(text);
  });

  it.each([
    [[{}, {}], '<dt>with tests that fail anew</dt><dd>2</dd>'],
    [[{}, { change: null }], '<dt>with tests that fail anew, of 1 compared</dt><dd>1</dd>'],
    [[{ change: null }], '<dt>with tests that fail anew, of 0 compared</dt><dd>–</dd>'],
  ])('does not show a missing comparison as free of new failures: %j', async (groups, received) => {
    expect(await reportOf(groups.map((group) => givenGroup(group)))).toContain(received);
  });

  it('begins with the summary', async () => {
    const report = await reportOf(YEAR);
    const order = [
      'id="summary"',
      '<svg',
      'Repositories</caption>',
      'id="releases"',
      'id="evidence"',
      '<article',
      '<footer',
    ];
    expect(order.map((mark) => report.indexOf(mark))).toEqual(
      order.map((mark) => report.indexOf(mark)).toSorted((a, b) => a - b),
    );
    expect(report).toContain('<dt>releases</dt><dd>11</dd>');
    expect(report).toContain('<dt>mean score</dt><dd>85.1</dd>');
    expect(report.match(/<tr><th scope="row">A<\/th>.*/)?.[0]).toBe(
      '<tr><th scope="row">A</th><td class="number">1</td><td class="number">9.1 %</td></tr>',
    );
    expect(report.match(/<tr><th scope="row">not scored<\/th>.*/)?.[0]).toContain('<td class="number">1</td>');
  });

  it('states that it contains no releases', async () => {
    const report = await reportOf([]);
    expect(report).toContain('No release matches.');
    expect(report).not.toContain('<svg');
    elementsOf(report);
  });
});

describe('a picture in a report', () => {
  it('has a name, a description, and its numbers as a table beside it', async () => {
    const report = await reportOf(YEAR);
    const pictures = [
      ...report.matchAll(
        /<figure>\n<figcaption>([^<]+)<\/figcaption>\n<svg[^>]+role="img"[^>]*><title>([^<]+)<\/title><desc>([^<]+)<\/desc>/g,
      ),
    ];
    expect(pictures.map(([, caption]) => caption)).toEqual([
      'Releases by grade',
      'Mean score of each category',
      'Mean score by the month of the newest evidence',
    ]);
    for (const [, caption, title, description] of pictures) {
      expect(title).toBe(caption);
      expect(description?.length).toBeGreaterThan(20);
    }
    expect(report.match(/<\/svg>\s*<table>/g)).toHaveLength(3);
    expect(report).toContain('<th scope="row">November 2026</th><td class="number">90.0</td>');
  });

  it('uses only the colors of the page, for light, dark and print', async () => {
    const report = await reportOf(YEAR);
    const colours = [...report.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour);
    const ofThePage = ['none', 'var(--accent)', 'var(--line)', 'var(--quiet)', 'var(--text)'];
    expect(new Set(colours)).toEqual(new Set(ofThePage));
  });
});

describe('the markup of a report', () => {
  it('is well formed, has unique ids, and refers only to itself', async () => {
    const elements = elementsOf(await reportOf(YEAR));
    const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { attributes } of elements) {
      for (const id of [attributes['aria-labelledby'], attributes['href']?.slice(1)]) {
        if (id !== undefined) expect(ids).toContain(id);
      }
    }
    const names = new Set(elements.map(({ name }) => name));
    for (const name of ['script', 'link', 'img', 'iframe', 'object', 'form', 'style', 'image', 'use']) {
      expect([name, names.has(name)]).toEqual([name, false]);
    }
    const attributes = new Set(elements.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...attributes].filter((name) => /^on|^style$|^src|^action|^xlink/.test(name))).toEqual([]);
    expect(
      elements.filter(({ name, attributes: { scope } }) => name === 'th' && !['row', 'col'].includes(scope ?? '')),
    ).toEqual([]);
  });

  it('allows only its own style, by its digest', async () => {
    const report = await reportOf([]);
    const style = /<style>([^]*?)<\/style>/.exec(report)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(/http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(report)?.[1]).toBe(
      `default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;`,
    );
    expect(style).not.toMatch(/url\(|@import|</);
  });

  it('escapes user input in every position', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.constantFrom('</bdi>', '"><x', "'", '&lt;', '<!--', '\u202E', ''),
        async (text, lead) => {
          const hostile = `${lead}<script>${text}`;
          const names = { count: 1, names: [hostile] };
          const group = givenGroup({
            org: hostile,
            repo: hostile,
            version: hostile,
            scorecard: {
              ...givenGroup().scorecard,
              caps: [{ grade: 'D', reason: hostile }],
              categories: givenGroup().scorecard.categories.map((category) => ({ ...category, detail: hostile })),
            },
            change: {
              against: { milestoneId: 'x', version: hostile },
              score: 1,
              coverage: null,
              tests: { newFailures: names, fixedTests: names, lostTests: names },
            },
            flaky: { ...names, rate: null },
            results: [givenResult({ pipeline: hostile, environment: hostile, commitSha: hostile })],
          });
          const other = givenGroup({ repo: 'other', milestoneId: 'other' });
          const report = await reportOf([group, other], {
            org: hostile,
            reader: hostile,
            filters: [['repo', hostile]],
          });
          const plain = await reportOf(
            [givenGroup({ ...group, org: 'a', repo: 'a', version: 'a', results: [givenResult()] }), other],
            { filters: [['repo', 'a']] },
          );
          const shape = (of: string): readonly string[] => elementsOf(of).map(({ name }) => name);
          expect(shape(report)).toEqual(shape(plain));
          expect(report).not.toMatch(/<script/i);
        },
      ),
      { numRuns: 25 },
    );
  });
});
