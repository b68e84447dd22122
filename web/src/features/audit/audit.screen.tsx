import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { downloadHref } from '../../api/download-href.js';
import { Downloads } from '../../ui/downloads.js';
import { FilterInput, Filters, FilterSelect } from '../../ui/filters.js';
import { ButtonLink } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryError, QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { Section } from '../../ui/section.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { text } from '../../texts/en/audit.js';
import { common } from '../../texts/en/common.js';
import { ACTIONS, toAuditParameters } from './audit.parameters.js';
import { auditHeadQuery, auditQuery } from './audit.query.js';
import type { AuditFilters } from './audit.search.js';
import classes from './audit.module.css';

type Entry = Schema<'AuditEntry'>;
type HiddenEntry = Schema<'HiddenAuditEntry'>;

const ROUTE = '/session/w/$org/settings/audit';

/** The audit log of the workspace, with the hashes that protect it. */
export function AuditScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(auditQuery(search));
  const { pagination, workspace } = query.data ?? {};
  const target = { to: '/w/$org/settings/audit', params: { org } } as const;
  const filter = (change: AuditFilters, replace = false): void =>
    void navigate({ ...target, search: { ...search, ...change, page: undefined }, replace });
  const parameters = toAuditParameters(search);
  const isFiltered = Object.keys(parameters).length > 0;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title} />
      <Tools>
        <SearchField label={text.search} value={search.q ?? ''} onSearch={(q) => filter({ q: q || undefined }, true)} />
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <Filters label={text.filters} note={isFiltered ? text.filterNote : text.utc}>
        <FilterSelect
          label={text.action}
          all={text.allActions}
          value={parameters.action}
          options={ACTIONS.map((action) => [action, text.actions[action]('…')])}
          groupOf={text.groupOf}
          onChange={(action) => filter({ action })}
        />
        <FilterInput label={text.actor} value={search.actor} onChange={(actor) => filter({ actor }, true)} />
        <FilterInput label={text.from} type="date" value={search.from} onChange={(from) => filter({ from }, true)} />
        <FilterInput label={text.to} type="date" value={search.to} onChange={(to) => filter({ to }, true)} />
      </Filters>
      <QueryRegion query={query} failed={text.failed}>
        {({ entries }, isStale) =>
          entries.length > 0 ? (
            <>
              <Table caption={text.caption} columns={Object.values(text.columns)} isStale={isStale}>
                {entries.map((entry) =>
                  'hidden' in entry ? (
                    <HiddenRow key={entry.sequence} entry={entry} />
                  ) : (
                    <EntryRow key={entry.sequence} entry={entry} />
                  ),
                )}
              </Table>
              <Pager pagination={pagination} />
              {pagination && !isStale && (
                <Downloads
                  label={text.exported(pagination.total)}
                  files={(['csv', 'json'] as const).map((format) => ({
                    format: text.formats[format],
                    href: downloadHref('/api/audit/export', org, { ...parameters, format }),
                  }))}
                />
              )}
            </>
          ) : (
            <EmptyState title={isFiltered ? text.noMatch : text.none}>
              {isFiltered && (
                <ButtonLink {...target} search={{}}>
                  {common.clearFilters}
                </ButtonLink>
              )}
            </EmptyState>
          )
        }
      </QueryRegion>
      {query.data && <Verification workspace={workspace} />}
    </>
  );
}

/** How to verify the log, and the end of its chain. */
function Verification({ workspace }: { readonly workspace: string | undefined }) {
  const query = useQuery(auditHeadQuery);
  const head = query.data;
  return (
    <Section title={text.verifyTitle}>
      <p>
        {text.verify} <code>npm run admin -- verify-audit</code>.
      </p>
      <QueryError query={query} failed={text.headFailed} />
      <Facts
        entries={[
          [text.verifyWorkspace, workspace === undefined ? null : <code key="workspace">{workspace}</code>],
          [text.lastEntry, head ? text.number(head.sequence) : null],
          [text.lastHash, head ? <code key="hash">{head.hash}</code> : null],
        ]}
      />
      <p className="quiet">{text.headHint}</p>
    </Section>
  );
}

function EntryRow({ entry }: { readonly entry: Entry }) {
  const { sequence, action, subject, actor, at, data, hash, previousHash } = entry;
  return (
    <Row>
      <th scope="row">
        {text.actions[action](subject)}
        <div className="quiet">
          {text.number(sequence)} <code>{action}</code>
        </div>
      </th>
      <td>{actor.login ?? text.service}</td>
      <td>
        <RelativeTime date={at} />
      </td>
      <td>
        <Details sequence={sequence}>
          <Facts
            entries={[
              ...Object.entries(data).map(([name, value]) => [name, formatValue(value)] as const),
              [text.hash, <code key="hash">{hash}</code>],
              [text.previousHash, <code key="before">{previousHash}</code>],
            ]}
          />
        </Details>
      </td>
    </Row>
  );
}

/** An entry about a repository that the user cannot read: only its place in the chain. */
function HiddenRow({ entry: { sequence, hash, previousHash } }: { readonly entry: HiddenEntry }) {
  return (
    <Row>
      <th scope="row">
        <span className="quiet">{text.number(sequence)}</span>
      </th>
      <td colSpan={2}>{text.hidden}</td>
      <td>
        <Details sequence={sequence}>
          <Facts
            entries={[
              [text.hash, <code key="hash">{hash}</code>],
              [text.previousHash, <code key="before">{previousHash}</code>],
            ]}
          />
        </Details>
      </td>
    </Row>
  );
}

function Details({ sequence, children }: { readonly sequence: number; readonly children: ReactNode }) {
  return (
    <details className={classes['details']}>
      <summary aria-label={text.detailsOf(sequence)}>{text.details}</summary>
      {children}
    </details>
  );
}

/** A value of an entry as text. */
const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
