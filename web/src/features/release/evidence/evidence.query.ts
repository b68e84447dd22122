import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody } from '../../../api/client.js';
import { DEFAULT_PAGE_SIZE } from '../../../api/search-params.js';
import type { EvidenceSearch } from './evidence.search.js';
import { readReportText } from './report-text.js';

/** The number of deciding items on the first screen. A usual release has fewer. */
const MAX_USED = 50;

const listQuery = (
  id: string,
  decides: 'true' | 'false',
  { type, environment }: EvidenceSearch,
  { page, pageSize }: { readonly page: number; readonly pageSize: 10 | 25 | 50 },
) =>
  queryOptions({
    queryKey: ['release', id, 'evidence', { decides, type, environment, page, pageSize }],
    queryFn: ({ signal }) => {
      const query = { decides, page, pageSize, ...(type && { type }), ...(environment && { environment }) };
      return readBody(api.GET('/api/milestones/{id}/evidence', { params: { path: { id }, query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/**
 * The evidence that the verdict uses: its first page, which usually has all of it, or another page if only this evidence is
 * shown.
 */
export const usedEvidenceQuery = (id: string, search: EvidenceSearch) =>
  listQuery(id, 'true', search, { page: search.only ? (search.page ?? 1) : 1, pageSize: MAX_USED });

/** A page of the other evidence, newest first. */
export const otherEvidenceQuery = (id: string, search: EvidenceSearch) =>
  listQuery(id, 'false', search, { page: search.page ?? 1, pageSize: search.size ?? DEFAULT_PAGE_SIZE });

/** One upload with its reports. Only `decides` of its items can change. */
export const uploadQuery = (id: string, evidenceId: string) =>
  queryOptions({
    queryKey: ['release', id, 'evidence', evidenceId],
    queryFn: ({ signal }) => readBody(api.GET('/api/evidence/{id}', { params: { path: { id: evidenceId } }, signal })),
  });

/** The beginning of a report as text. It never changes, so no event makes it load again. */
export const reportTextQuery = (evidenceId: string, reportId: string) =>
  queryOptions({
    queryKey: ['report', evidenceId, reportId],
    queryFn: async ({ signal }) => {
      const params = { path: { id: evidenceId, reportId } };
      const stream = await readBody(
        api.GET('/api/evidence/{id}/reports/{reportId}', { params, parseAs: 'stream', signal }),
      );
      return readReportText(stream);
    },
    staleTime: Infinity,
  });
