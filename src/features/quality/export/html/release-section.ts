import { CATEGORY_NAMES, type CategoryScore } from '../../../../domain/quality/score-category.js';
import { type Html, html } from '../../../../http/html.js';
import type { TestSampleDto, QualityResultDto, ReleaseGroupDto } from '../../quality.dto.js';
import {
  CATEGORY_TITLES,
  isolateText,
  gradeMark,
  pluralize,
  formatChange,
  formatMetrics,
  formatTimestamp,
  formatPercent,
  formatScore,
} from './value-formats.js';

/** The length of an abbreviated commit, as on GitHub. */
const SHORT_SHA = 7;

const STATUS_CLASSES = { passed: 'good', failed: 'bad', incomplete: 'quiet', unmeasured: 'quiet' } as const;
type Status = keyof typeof STATUS_CLASSES;

/** Builds the section of a release: scorecard, comparison and evidence. */
export const releaseSection = (group: ReleaseGroupDto): Html => html`
<article id="r-${group.milestoneId}" aria-labelledby="t-${group.milestoneId}">
<h3 id="t-${group.milestoneId}">${isolateText(group.repo)} ${isolateText(group.version)}</h3>
<p class="verdict"><span>Grade ${gradeMark(group.scorecard.grade)}</span><span>Score ${formatScore(
  group.scorecard.score,
)}</span><span>Stage ${group.stage}</span></p>
${group.scorecard.caps.map(({ grade, reason }) => html`<p>No better than ${grade}: ${isolateText(reason)}</p>\n`)}${renderComparison(
  group,
)}<div class="wide">
<table>
<caption>Scorecard</caption>
<thead><tr><th scope="col">Category</th><th scope="col" class="number">Weight</th><th scope="col" class="number">Score</th><th scope="col">Status</th><th scope="col" class="prose">Detail</th></tr></thead>
<tbody>
${group.scorecard.categories.map(categoryRow)}</tbody>
</table>
</div>
<div class="wide">
<table>
<caption>Evidence${renderMore(group)}</caption>
<thead><tr><th scope="col">Type</th><th scope="col" class="name">Pipeline</th><th scope="col" class="name">Environment</th><th scope="col">Status</th><th scope="col" class="prose">Measured</th><th scope="col">Commit</th><th scope="col">Received (UTC)</th></tr></thead>
<tbody>
${group.results.map(resultRow)}</tbody>
</table>
</div>
</article>
`;

const categoryRow = ({ name, weight, score, status, detail }: CategoryScore): Html =>
  html`<tr><th scope="row" class="whole">${CATEGORY_TITLES[name]}</th><td class="number">${weight} %</td><td class="number">${formatScore(
    score,
  )}</td><td>${statusMark(status)}</td><td class="prose">${isolateText(detail)}</td></tr>
`;

const resultRow = (result: QualityResultDto): Html =>
  html`<tr><th scope="row" class="whole">${result.type}</th><td class="name">${isolateText(result.pipeline)}</td><td class="name">${isolateText(
    result.environment,
  )}</td><td>${statusMark(result.status)}${
    result.decides ? null : html` <span class="quiet">(does not decide)</span>`
  }</td><td class="prose">${formatMetrics(result.metrics)}</td><td><code>${result.commitSha.slice(0, SHORT_SHA)}</code></td><td class="whole">${formatTimestamp(
    result.createdAt,
  )}</td></tr>
`;

const statusMark = (status: Status): Html => html`<span class="${STATUS_CLASSES[status]}">${status}</span>`;

const renderMore = ({ moreResults }: ReleaseGroupDto): string =>
  moreResults === 0 ? '' : `; ${pluralize(moreResults, 'older result is', 'older results are')} not listed`;

function renderComparison({ change, flaky, comparison }: ReleaseGroupDto): Html {
  const against = change
    ? html`<p>Since ${isolateText(change.against.version)}, which was shipped before it: score ${formatChange(
        change.score,
      )}, line coverage ${formatChange(change.coverage)}${change.tests ? html`, ${testsText(change.tests.newFailures, 'fails anew', 'fail anew')}, ${testsText(change.tests.lostTests, 'is lost', 'are lost')}` : null}.</p>\n`
    : html`<p>Nothing of this repository was shipped before it.</p>\n`;
  const flickering =
    flaky && flaky.count > 0
      ? html`<p>Flaky: ${testsText(flaky, 'passed and failed', 'passed and failed')} at the same commit${
          flaky.rate === null ? '' : `, ${formatPercent(flaky.rate)} of all`
        }.</p>\n`
      : null;
  return html`${against}${flickering}${COMPARISON_NOTES[comparison]}`;
}

const COMPARISON_NOTES: Readonly<Record<ReleaseGroupDto['comparison'], Html | null>> = {
  known: null,
  pending: html`<p class="quiet">Its tests were not compared by name yet.</p>\n`,
  unknown: html`<p class="quiet">Its tests cannot be compared by name.</p>\n`,
};

function testsText({ count, names }: TestSampleDto, one: string, many: string): Html {
  if (count === 0) return html`no test ${one}`;
  const more = count - names.length;
  const listed = names.map((name, at) => html`${at === 0 ? '' : ', '}${isolateText(name)}`);
  return html`${pluralize(count, `test ${one}`, `tests ${many}`)} (${listed}${more > 0 ? ` and ${pluralize(more, 'more', 'more')}` : ''})`;
}

/** The header of the table of releases. */
export const RELEASES_HEAD = html`
<section id="releases" aria-labelledby="releases-title">
<h2 id="releases-title">Releases</h2>
<div class="wide" role="region" aria-labelledby="releases-title" tabindex="0">
<table>
<caption>Newest evidence first. A dash is what was not measured.</caption>
<thead><tr><th scope="col" class="name">Repository</th><th scope="col" class="name">Version</th><th scope="col">Stage</th><th scope="col">Grade</th><th scope="col" class="number">Score</th>${CATEGORY_NAMES.map(
  (name) => html`<th scope="col" class="number">${CATEGORY_TITLES[name]}</th>`,
)}<th scope="col" class="number">Change</th></tr></thead>
<tbody>
`;

export const RELEASES_FOOT = html`</tbody>
</table>
</div>
</section>
`;

/** Builds the row of a release, which links to its section. */
export const releaseRow = ({ milestoneId, repo, version, stage, scorecard, change }: ReleaseGroupDto): Html =>
  html`<tr><td class="name">${isolateText(repo)}</td><th scope="row" class="name"><a href="#r-${milestoneId}">${isolateText(version)}</a></th><td>${stage}</td><td>${gradeMark(
    scorecard.grade,
  )}</td><td class="number">${formatScore(scorecard.score)}</td>${CATEGORY_NAMES.map(
    (category) =>
      html`<td class="number">${formatScore(scorecard.categories.find(({ name }) => name === category)?.score ?? null)}</td>`,
  )}<td class="number">${formatChange(change?.score ?? null)}</td></tr>
`;
