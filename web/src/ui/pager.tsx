import { lazy, Suspense } from 'react';
import type { Schema } from '../api/client.js';
import { common } from '../texts/en/common.js';
import { loadCode } from './load-code.js';

// Most lists have one page.
const PageLinks = lazy(async () => ({ default: (await loadCode(() => import('./page-links.js'))).PageLinks }));

interface PagerProps {
  readonly pagination: Schema<'PageInfo'> | undefined;
  /** The parameter of the URL that has the page: another one for a second list of a screen. */
  readonly parameter?: string;
  /** Names the links, where a screen has two lists. */
  readonly label?: string;
}

/** Links to the pages of a list. Nothing if there is one page. */
export function Pager({ pagination, parameter = 'page', label = common.pages }: PagerProps) {
  if (pagination === undefined || pagination.pages <= 1) return null;
  return (
    <Suspense>
      <PageLinks pagination={pagination} parameter={parameter} label={label} />
    </Suspense>
  );
}
