import { setImmediate as pause } from 'node:timers/promises';
import { type Html, html } from '../../../../http/html.js';
import type { BarChart, DrawBars } from './bar-chart.js';
import type { Mean, QualitySummary, RepositorySummary } from './quality-summary.js';
import { CATEGORY_TITLES, isolateText, gradeMark, NONE, pluralize, formatCount, formatScore } from './value-formats.js';

/** The maximum number of months in the chart. */
const MAX_MONTHS = 12;

/** A chart, and its values as a table, also for screen readers. */
interface Figure {
  readonly chart: BarChart;
  readonly headings: readonly [string, ...string[]];
  readonly rows: readonly (readonly [string, ...string[]])[];
}

/** Builds the summary of all releases. Yields to the event loop before each chart, because drawing takes long. */
export async function summarySection(summary: QualitySummary, draw: DrawBars): Promise<Html> {
  const figures: Html[] = [];
  for (const figure of [buildGradesFigure(summary), buildCategoriesFigure(summary), buildMonthsFigure(summary)]) {
    if (figure === null) continue;
    await pause();
    figures.push(renderFigure(figure, draw));
  }
  return html`
<section id="summary" aria-labelledby="summary-title">
<h2 id="summary-title">Summary</h2>
<dl class="figures">
<div><dt>${summary.releases === 1 ? 'release' : 'releases'}</dt><dd>${formatCount(summary.releases)}</dd></div>
<div><dt>${summary.results === 1 ? 'evidence item' : 'evidence items'}</dt><dd>${formatCount(summary.results)}</dd></div>
<div><dt>mean score</dt><dd>${formatScore(summary.score.mean)}</dd></div>
<div><dt>with tests that fail anew${
    summary.compared === summary.releases ? null : `, of ${formatCount(summary.compared)} compared`
  }</dt><dd>${summary.compared === 0 ? NONE : formatCount(summary.regressed)}</dd></div>
</dl>
${figures}
${repositoriesTable(summary.repositories)}
</section>`;
}

function buildGradesFigure({ grades, releases }: QualitySummary): Figure {
  const named = grades.map(({ grade, releases }) => ({ name: grade ?? 'not scored', releases }));
  return {
    chart: {
      title: 'Releases by grade',
      description: `Of ${pluralize(releases, 'release', 'releases')}: ${named
        .map(({ name, releases }) => `${name} ${formatCount(releases)}`)
        .join(', ')}.`,
      bars: named.map(({ name, releases }) => ({ label: name, value: releases })),
      max: null,
      lying: false,
    },
    headings: ['Grade', 'Releases', 'Share'],
    rows: named.map(({ name, releases: count }) => [
      name,
      formatCount(count),
      releases === 0 ? NONE : `${((count / releases) * 100).toFixed(1)} %`,
    ]),
  };
}

function buildCategoriesFigure({ categories }: QualitySummary): Figure {
  return {
    chart: {
      title: 'Mean score of each category',
      description: toSentence(categories.map(({ name, mean }) => [CATEGORY_TITLES[name], mean])),
      bars: categories.map(({ name, mean }) => ({ label: CATEGORY_TITLES[name], value: mean })),
      max: 100,
      lying: true,
    },
    headings: ['Category', 'Mean score', 'Releases measured'],
    rows: categories.map(({ name, mean, count }) => [CATEGORY_TITLES[name], formatScore(mean), formatCount(count)]),
  };
}

/** Returns null for a single month, because the mean in the summary is the same. */
function buildMonthsFigure({ months }: QualitySummary): Figure | null {
  if (months.length < 2) return null;
  const visible: readonly (Mean & { readonly month: string })[] = months.slice(-MAX_MONTHS);
  return {
    chart: {
      title: `Mean score by the month of the newest evidence${months.length > MAX_MONTHS ? `, the last ${MAX_MONTHS}` : ''}`,
      description: toSentence(visible.map(({ month, mean }) => [monthName(month, 'long'), mean])),
      bars: visible.map(({ month, mean }) => ({ label: monthName(month, 'short').replace(' ', '\n'), value: mean })),
      max: 100,
      lying: false,
    },
    headings: ['Month', 'Mean score', 'Releases'],
    rows: visible.map(({ month, mean, count }) => [monthName(month, 'long'), formatScore(mean), formatCount(count)]),
  };
}

const monthName = (month: string, length: 'long' | 'short'): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', { month: length, year: 'numeric', timeZone: 'UTC' });

const toSentence = (means: readonly (readonly [string, number | null])[]): string =>
  `${means.map(([name, mean]) => `${name} ${mean === null ? 'not measured' : formatScore(mean)}`).join(', ')}.`;

const renderFigure = ({ chart, headings, rows }: Figure, draw: DrawBars): Html => html`
<figure>
<figcaption>${chart.title}</figcaption>
${draw(chart)}
<table>
<thead><tr>${headings.map((heading, at) => html`<th scope="col"${classAt(at)}>${heading}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([name, ...values]) =>
    html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td class="number">${value}</td>`)}</tr>
`,
)}</tbody>
</table>
</figure>`;

const classAt = (at: number): Html => (at === 0 ? html`` : html` class="number"`);

function repositoriesTable(repositories: readonly RepositorySummary[]): Html | null {
  if (repositories.length < 2) return null;
  return html`
<div class="wide">
<table>
<caption>Repositories</caption>
<thead><tr><th scope="col" class="name">Repository</th><th scope="col" class="number">Releases</th><th scope="col" class="number">Mean score</th><th scope="col" class="name">Newest release</th><th scope="col">Grade</th></tr></thead>
<tbody>
${repositories.map(
  ({
    repo,
    releases,
    score,
    latest,
  }) => html`<tr><th scope="row" class="name">${isolateText(repo)}</th><td class="number">${formatCount(
    releases,
  )}</td><td class="number">${formatScore(score.mean)}</td><td class="name">${isolateText(latest.version)}</td><td>${gradeMark(
    latest.grade,
  )}</td></tr>
`,
)}</tbody>
</table>
</div>`;
}
