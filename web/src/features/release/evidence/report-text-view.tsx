import { ChevronDownIcon, ChevronUpIcon, SearchIcon } from '@primer/octicons-react';
import { IconButton, TextInput } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { QueryRegion } from '../../../ui/query-region.js';
import { text } from '../../../texts/en/evidence.js';
import classes from './evidence.module.css';
import { reportTextQuery } from './evidence.query.js';
import { findMatches, markMatches, toRows, type ReportText, type TextRow } from './report-text.js';

/** The height of a row and of the view, in pixels. The style sheet has the same numbers. */
const ROW_HEIGHT = 20;
const VIEW_HEIGHT = 480;
/** How many rows before and after the visible ones are drawn. */
const MARGIN = 20;
const VISIBLE = Math.ceil(VIEW_HEIGHT / ROW_HEIGHT);

interface ReportTextViewProps {
  readonly evidenceId: string;
  readonly reportId: string;
  readonly name: string;
}

/** The beginning of a report as text with line numbers and a search. */
export function ReportTextView({ evidenceId, reportId, name }: ReportTextViewProps) {
  const query = useQuery(reportTextQuery(evidenceId, reportId));
  return (
    <QueryRegion query={query} failed={text.text.failed}>
      {(report) => <Viewer report={report} name={name} />}
    </QueryRegion>
  );
}

function Viewer({ report: { lines, isCut }, name }: { readonly report: ReportText; readonly name: string }) {
  const view = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [search, setSearch] = useState('');
  const [current, setCurrent] = useState(0);
  const rows = useMemo(() => toRows(lines), [lines]);
  const matches = useMemo(() => findMatches(lines, search), [lines, search]);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const visible = rows.slice(first, first + VISIBLE + 2 * MARGIN);
  const goTo = (found: readonly number[], at: number): void => {
    const target = found.length === 0 ? 0 : (at + found.length) % found.length;
    setCurrent(target);
    const row = found[target];
    if (row !== undefined) view.current?.scrollTo({ top: row * ROW_HEIGHT - VIEW_HEIGHT / 2 });
  };
  return (
    <>
      <form
        className={classes['search']}
        onSubmit={(event) => {
          event.preventDefault();
          goTo(matches, current + 1);
        }}
      >
        <TextInput
          type="search"
          leadingVisual={SearchIcon}
          aria-label={text.text.search}
          placeholder={text.text.search}
          value={search}
          onChange={({ target: { value } }) => {
            setSearch(value);
            goTo(findMatches(lines, value), 0);
          }}
        />
        <IconButton
          icon={ChevronUpIcon}
          aria-label={text.text.previous}
          disabled={matches.length === 0}
          onClick={() => goTo(matches, current - 1)}
        />
        <IconButton
          icon={ChevronDownIcon}
          aria-label={text.text.next}
          disabled={matches.length === 0}
          onClick={() => goTo(matches, current + 1)}
        />
        <output>
          {search !== '' && (matches.length === 0 ? text.text.notFound : text.text.found(current + 1, matches.length))}
        </output>
        <span className="quiet">{text.text.lines(lines.length)}</span>
      </form>
      {/* A part that scrolls must be reachable by the keyboard. */}
      <section
        ref={view}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={text.text.label(name)}
        className={classes['text']}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <Spacer rows={first} />
        {visible.map((row) => (
          <Row key={row.at} row={row} search={search} isCurrent={matches[current] === row.at} />
        ))}
        <Spacer rows={rows.length - first - visible.length} />
      </section>
      {isCut && <p className="quiet">{text.text.cut}</p>}
    </>
  );
}

/** The space of the rows that are not drawn. */
const Spacer = ({ rows }: { readonly rows: number }) => (
  <svg aria-hidden="true" width="1" height={rows * ROW_HEIGHT} className={classes['spacer']} />
);

interface RowProps {
  readonly row: TextRow;
  readonly search: string;
  /** Whether it has the selected match of the search. */
  readonly isCurrent: boolean;
}

function Row({ row, search, isCurrent }: RowProps) {
  return (
    <div className={`${classes['row']} ${isCurrent ? classes['current'] : ''}`}>
      <span className={classes['number']}>{row.line}</span>
      <code>
        {markMatches(row.text, search).map((part, at) =>
          // The parts of a row have no other identity than their place.
          // eslint-disable-next-line react/no-array-index-key
          at % 2 === 1 ? <mark key={at}>{part}</mark> : part,
        )}
      </code>
    </div>
  );
}
