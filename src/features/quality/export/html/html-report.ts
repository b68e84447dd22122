import { CompressedTextBuffer } from '../../../../export/row-buffers.js';
import { Html, html } from '../../../../http/html.js';
import type { ReleaseGroupDto } from '../../quality.dto.js';
import { loadBarCharts } from './bar-chart.js';
import { QualitySummary } from './quality-summary.js';
import { releaseSection, releaseRow, RELEASES_FOOT, RELEASES_HEAD } from './release-section.js';
import { REPORT_SECURITY_POLICY, REPORT_STYLE } from './report-style.js';
import { summarySection } from './summary-section.js';
import { isolateText, formatDay, formatTime } from './value-formats.js';

/** The reader, the time and the filters of a report. */
export interface ReportSubject {
  readonly org: string;
  /** The login of the user with whose permissions the report was created. */
  readonly reader: string;
  readonly createdAt: Date;
  /** The filters by the names of the parameters. */
  readonly filters: readonly (readonly [name: string, value: string])[];
}

/**
 * Writes the report as one self-contained page. The summary comes first, so the other sections wait in a compressed buffer until
 * all releases are read.
 */
export async function* reportDocument(
  subject: ReportSubject,
  groups: AsyncIterable<ReleaseGroupDto>,
): AsyncGenerator<string> {
  const draw = await loadBarCharts();
  yield head(subject).text;
  const summary = new QualitySummary();
  const [rows, articles] = [new CompressedTextBuffer(), new CompressedTextBuffer()];
  for await (const group of groups) {
    summary.add(group);
    await rows.add(releaseRow(group).text);
    await articles.add(releaseSection(group).text);
  }
  if (summary.releases === 0) {
    yield NOTHING.text;
  } else {
    yield (await summarySection(summary, draw)).text;
    yield RELEASES_HEAD.text;
    yield* rows.drain();
    yield RELEASES_FOOT.text;
    yield EVIDENCE_HEAD.text;
    yield* articles.drain();
    yield EVIDENCE_FOOT.text;
  }
  yield FOOT.text;
}

const head = ({ org, reader, createdAt, filters }: ReportSubject): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${REPORT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Release quality of ${org}, ${formatDay(createdAt)}</title>
<style>${new Html(REPORT_STYLE)}</style>
</head>
<body>
<header>
<p class="maker">Shipgate</p>
<h1>Release quality of ${isolateText(org)}</h1>
<p>Begun on ${formatDay(createdAt)} at ${formatTime(createdAt)} UTC. Made for ${isolateText(reader)}, and so of the repositories that ${isolateText(
  reader,
)} may read on GitHub. The list was fixed then; each release stands here as it was when its turn came.</p>
<p class="terms">${
  filters.length === 0
    ? 'All releases with evidence.'
    : html`Releases with evidence, by ${filters.map(
        ([name, value], at) => html`${at === 0 ? '' : ', '}${name} ${isolateText(value)}`,
      )}.`
}</p>
</header>
<main>
`;

const NOTHING = html`<p>No release matches.</p>
`;

const EVIDENCE_HEAD = html`<section id="evidence" aria-labelledby="evidence-title">
<h2 id="evidence-title">Scorecards and evidence</h2>
`;

const EVIDENCE_FOOT = html`</section>
`;

const FOOT = html`</main>
<footer>
<p>A score is the mean of what was measured, by weight: tests 40, coverage 25, static analysis 15, vulnerabilities 15, completeness 5. A from 90, B from 80, C from 70, D from 60, else F. What was not measured is left out, and named as incomplete. A failing test allows no more than D, an open critical finding no more than C.</p>
</footer>
</body>
</html>
`;
