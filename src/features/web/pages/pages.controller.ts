import { Controller, Get, Header, HttpStatus, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { readSessionCookie } from '../../../auth/session/session-cookie.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { DashboardFiles } from './dashboard-files.js';
import { type RenderedPage, PageAssets, PagesService } from './pages.service.js';

const HTML = 'text/html; charset=utf-8';
/** Cached and revalidated each time, so that scripts of two versions never mix. */
const IF_STILL_THE_SAME = 'public, no-cache';
/** For files of the dashboard, whose names contain a hash of their content. */
const NEVER_CHANGES = 'public, max-age=31536000, immutable';
/** Not cached, because a page depends on the session. */
const NO_STORE = 'no-store';

const describedAs = (type: string, example: string) => ({ [type]: { schema: { type: 'string', example } } });

@ApiTags('pages')
@RateLimited('public')
@Controller()
export class PagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly assets: PageAssets,
    private readonly dashboard: DashboardFiles,
  ) {}

  @Get()
  @Public()
  @Header('Cache-Control', NO_STORE)
  @Header('Content-Type', HTML)
  @ApiOperation({ summary: 'Get the front page' })
  @ApiQuery({
    name: 'notice',
    required: false,
    schema: { type: 'string', maxLength: 100 },
    description: 'The name of a notice to display.',
  })
  @ApiOkResponse({ description: 'The page.', content: describedAs('text/html', '<!doctype html>…') })
  front(
    @Query('notice') notice: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string {
    return show(reply, this.pages.front(readSessionCookie(request) !== null, notice));
  }

  @Get('invite')
  @Public()
  @Header('Cache-Control', NO_STORE)
  @Header('Content-Type', HTML)
  @ApiOperation({ summary: 'Get the invite page; the token is in the fragment of the link, which is not sent' })
  @ApiOkResponse({ description: 'The page.', content: describedAs('text/html', '<!doctype html>…') })
  invite(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    return show(reply, this.pages.invite(readSessionCookie(request) !== null));
  }

  @Get('assets/:name')
  @Public()
  @RateLimited('page-files')
  @ApiOperation({ summary: 'Get a file of the pages' })
  @ApiParam({
    name: 'name',
    description: 'The name of the file.',
    schema: { type: 'string', maxLength: 100 },
    example: 'shipgate.css',
  })
  @ApiOkResponse({
    description: 'The file.',
    content: {
      ...describedAs('text/css', ':root { … }'),
      ...describedAs('text/javascript', 'export const …'),
      ...describedAs('image/svg+xml', '<svg …>'),
    },
  })
  @ApiResponse({ status: HttpStatus.NOT_MODIFIED, description: 'The file is still what `If-None-Match` names.' })
  @ErrorResponses({ 404: 'The file does not exist.' })
  async asset(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const built = this.dashboard.findAsset(name);
    const asset = built ?? this.assets.find(name);
    if (asset === null) throw new DomainError('not_found', 'File not found.');
    // Not on the route, because a 404 must not be cached: an upgrade may add the file.
    reply.headers({ 'Cache-Control': built ? NEVER_CHANGES : IF_STILL_THE_SAME, 'Content-Type': asset.type });
    return asset.document.answer(request, reply);
  }
}

function show(reply: FastifyReply, { html, securityPolicy }: RenderedPage): string {
  reply.header('Content-Security-Policy', securityPolicy);
  return html;
}
