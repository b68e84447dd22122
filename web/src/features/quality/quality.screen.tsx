import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { downloadHref } from '../../api/download-href.js';
import { Downloads } from '../../ui/downloads.js';
import { Filters, FilterSelect } from '../../ui/filters.js';
import { ButtonLink } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { EmptyState, Placeholder } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { evidenceKinds } from '../../texts/en/evidence-kinds.js';
import { text } from '../../texts/en/quality.js';
import classes from './quality.module.css';
import { QualityTable } from './quality-table.js';
import { qualityQuery, scoresQuery } from './quality.query.js';
import { toQualityFilters, type QualityFilters } from './quality.search.js';
import { RepositoryScores } from './repository-scores.js';

const ROUTE = '/session/w/$org/quality';
const FORMATS = ['csv', 'html', 'xlsx'] as const;

/** Options of a filter whose values are their own names. */
const named = (values: readonly string[] = []) => values.map((value) => [value, value] as const);

/** The releases with evidence and their scores. */
export function QualityScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(qualityQuery(search));
  const { isPending: areScoresPending } = useQuery({
    ...scoresQuery(search.repo ?? ''),
    enabled: search.repo !== undefined,
  });
  // Both appear together, so that neither moves the other.
  const isComplete = query.data !== undefined && !(search.repo !== undefined && areScoresPending);
  const { choices, pagination } = query.data ?? {};
  const target = { to: '/w/$org/quality', params: { org } } as const;
  const filter = (change: QualityFilters): void =>
    void navigate({ ...target, search: { ...search, ...change, page: undefined, open: undefined } });
  const filters = toQualityFilters(search);
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title} />
      <Filters label={text.filters}>
        <FilterSelect
          label={text.repository}
          all={text.allRepositories}
          value={search.repo}
          options={named(choices?.repos)}
          onChange={(repo) => filter({ repo })}
        />
        <FilterSelect
          label={text.release}
          all={text.allReleases}
          value={search.milestone}
          options={named(choices?.milestones)}
          onChange={(milestone) => filter({ milestone })}
        />
        <FilterSelect
          label={text.kind}
          all={text.allKinds}
          value={search.type}
          options={(choices?.types ?? []).map((kind) => [kind, evidenceKinds[kind]])}
          onChange={(type) => filter({ type })}
        />
        <FilterSelect
          label={text.environment}
          all={text.allEnvironments}
          value={search.environment}
          options={named(choices?.environments)}
          onChange={(environment) => filter({ environment })}
        />
      </Filters>
      <Tools>
        <output className={classes['count']}>{pagination && text.count(pagination.total)}</output>
        {pagination && pagination.total > 0 && !query.isPlaceholderData && (
          <Downloads
            label={text.exported(pagination.total)}
            files={FORMATS.map((format) => ({
              format: text.formats[format],
              href: downloadHref('/api/quality/export', org, { ...filters, format }),
            }))}
          />
        )}
      </Tools>
      {search.repo !== undefined && isComplete && <RepositoryScores repo={search.repo} />}
      <QueryRegion query={query} failed={text.failed}>
        {({ results, pagination: pages }, isStale) =>
          !isComplete ? (
            <Placeholder />
          ) : results.length > 0 ? (
            <>
              <QualityTable
                groups={results}
                isStale={isStale}
                openId={search.open}
                onToggle={(milestoneId, isOpen) =>
                  void navigate({
                    ...target,
                    search: { ...search, open: isOpen ? milestoneId : undefined },
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
              <Pager pagination={pages} />
            </>
          ) : Object.keys(filters).length > 0 ? (
            <EmptyState title={text.noMatch}>
              <ButtonLink {...target} search={{}}>
                {common.clearFilters}
              </ButtonLink>
            </EmptyState>
          ) : (
            <EmptyState title={text.none}>
              <p>{text.noneHint}</p>
            </EmptyState>
          )
        }
      </QueryRegion>
    </>
  );
}
