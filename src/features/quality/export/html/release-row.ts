import { CATEGORY_NAMES } from '../../../../domain/quality/score-category.js';
import { type Markup, markup } from '../../../../http/html.js';
import type { ReleaseGroup } from '../../release-group.js';
import { foreign } from './foreign.js';
import { CATEGORY_TITLES, gradeMark, shownChange, shownScore } from './shown-values.js';

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
