import { CATEGORY_NAMES, type CategoryScore } from '../../../../domain/quality/score-category.js';
import { type Markup, markup } from '../../../../http/html.js';
import type { NamedTests, QualityResult, ReleaseGroup } from '../../release-quality.js';
import {
  CATEGORY_TITLES,
  foreign,
  gradeMark,
  numbered,
  shownChange,
  shownMeasure,
  shownMoment,
  shownPercent,
  shownScore,
} from './value-formats.js';

/** Enough of a commit for people to tell it by, and what GitHub shows. */
const SHORT_SHA = 7;

const STATUS_CLASSES = { passed: 'good', failed: 'bad', incomplete: 'quiet', unmeasured: 'quiet' } as const;
type Status = keyof typeof STATUS_CLASSES;

/** All that is told of a release: its scorecard, how it compares, and the evidence itself. */
export const releaseArticle = (group: ReleaseGroup): Markup => markup`
<article id="r-${group.milestoneId}" aria-labelledby="t-${group.milestoneId}">
<h3 id="t-${group.milestoneId}">${foreign(group.repo)} ${foreign(group.version)}</h3>
<p class="verdict"><span>Grade ${gradeMark(group.scorecard.grade)}</span><span>Score ${shownScore(
  group.scorecard.score,
)}</span><span>Stage ${group.stage}</span></p>
${group.scorecard.caps.map(({ grade, reason }) => markup`<p>No better than ${grade}: ${foreign(reason)}</p>\n`)}${comparisonOf(
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
<caption>Evidence${moreOf(group)}</caption>
<thead><tr><th scope="col">Type</th><th scope="col" class="name">Pipeline</th><th scope="col" class="name">Environment</th><th scope="col">Status</th><th scope="col" class="prose">Measured</th><th scope="col">Commit</th><th scope="col">Received (UTC)</th></tr></thead>
<tbody>
${group.results.map(resultRow)}</tbody>
</table>
</div>
</article>
`;

const categoryRow = ({ name, weight, score, status, detail }: CategoryScore): Markup =>
  markup`<tr><th scope="row" class="whole">${CATEGORY_TITLES[name]}</th><td class="number">${weight} %</td><td class="number">${shownScore(
    score,
  )}</td><td>${statusMark(status)}</td><td class="prose">${foreign(detail)}</td></tr>
`;

const resultRow = (result: QualityResult): Markup =>
  markup`<tr><th scope="row" class="whole">${result.type}</th><td class="name">${foreign(result.pipeline)}</td><td class="name">${foreign(
    result.environment,
  )}</td><td>${statusMark(result.status)}${
    result.decides ? null : markup` <span class="quiet">(does not decide)</span>`
  }</td><td class="prose">${shownMeasure(result.metrics)}</td><td><code>${result.commitSha.slice(0, SHORT_SHA)}</code></td><td class="whole">${shownMoment(
    result.createdAt,
  )}</td></tr>
`;

const statusMark = (status: Status): Markup => markup`<span class="${STATUS_CLASSES[status]}">${status}</span>`;

const moreOf = ({ moreResults }: ReleaseGroup): string =>
  moreResults === 0 ? '' : `; ${numbered(moreResults, 'older result is', 'older results are')} not listed`;

function comparisonOf({ change, flaky, comparison }: ReleaseGroup): Markup {
  const against = change
    ? markup`<p>Since ${foreign(change.against.version)}, which was shipped before it: score ${shownChange(
        change.score,
      )}, line coverage ${shownChange(change.coverage)}${change.tests ? markup`, ${testsText(change.tests.newFailures, 'fails anew', 'fail anew')}, ${testsText(change.tests.lostTests, 'is lost', 'are lost')}` : null}.</p>\n`
    : markup`<p>Nothing of this repository was shipped before it.</p>\n`;
  const flickering =
    flaky && flaky.count > 0
      ? markup`<p>Flaky: ${testsText(flaky, 'passed and failed', 'passed and failed')} at the same commit${
          flaky.rate === null ? '' : `, ${shownPercent(flaky.rate)} of all`
        }.</p>\n`
      : null;
  return markup`${against}${flickering}${COMPARISON_NOTES[comparison]}`;
}

const COMPARISON_NOTES: Readonly<Record<ReleaseGroup['comparison'], Markup | null>> = {
  known: null,
  pending: markup`<p class="quiet">Its tests were not compared by name yet.</p>\n`,
  unknown: markup`<p class="quiet">Its tests cannot be compared by name.</p>\n`,
};

function testsText({ count, names }: NamedTests, one: string, many: string): Markup {
  if (count === 0) return markup`no test ${one}`;
  const more = count - names.length;
  const listed = names.map((name, at) => markup`${at === 0 ? '' : ', '}${foreign(name)}`);
  return markup`${numbered(count, `test ${one}`, `tests ${many}`)} (${listed}${more > 0 ? ` and ${numbered(more, 'more', 'more')}` : ''})`;
}

/** Where the table of releases begins. */
export const RELEASES_HEAD = markup`
<section id="releases" aria-labelledby="releases-title">
<h2 id="releases-title">Releases</h2>
<div class="wide" role="region" aria-labelledby="releases-title" tabindex="0">
<table>
<caption>Newest evidence first. A dash is what was not measured.</caption>
<thead><tr><th scope="col" class="name">Repository</th><th scope="col" class="name">Version</th><th scope="col">Stage</th><th scope="col">Grade</th><th scope="col" class="number">Score</th>${CATEGORY_NAMES.map(
  (name) => markup`<th scope="col" class="number">${CATEGORY_TITLES[name]}</th>`,
)}<th scope="col" class="number">Change</th></tr></thead>
<tbody>
`;

export const RELEASES_FOOT = markup`</tbody>
</table>
</div>
</section>
`;

/** A release in one line, which leads to all that is told of it. */
export const releaseRow = ({ milestoneId, repo, version, stage, scorecard, change }: ReleaseGroup): Markup =>
  markup`<tr><td class="name">${foreign(repo)}</td><th scope="row" class="name"><a href="#r-${milestoneId}">${foreign(version)}</a></th><td>${stage}</td><td>${gradeMark(
    scorecard.grade,
  )}</td><td class="number">${shownScore(scorecard.score)}</td>${CATEGORY_NAMES.map(
    (wanted) =>
      markup`<td class="number">${shownScore(scorecard.categories.find(({ name }) => name === wanted)?.score ?? null)}</td>`,
  )}<td class="number">${shownChange(change?.score ?? null)}</td></tr>
`;
