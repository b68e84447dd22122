import { lazy, Suspense } from 'react';
import type { Schema } from '../api/client.js';
import { loadCode } from './load-code.js';

// Most lists have one page.
const PageLinks = lazy(async () => ({ default: (await loadCode(() => import('./page-links.js'))).PageLinks }));

/** Links to the pages of a list. Nothing if there is one page. */
export function Pager({ pagination }: { readonly pagination: Schema<'PageInfo'> | undefined }) {
  if (pagination === undefined || pagination.pages <= 1) return null;
  return (
    <Suspense>
      <PageLinks pagination={pagination} />
    </Suspense>
  );
}
