import { Controller, Get, Header, HttpStatus, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { readSessionCookie } from '../../../auth/session/session-cookie.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { type RenderedPage, PageAssets, PagesService } from './pages.service.js';

const HTML = 'text/html; charset=utf-8';
/** Kept, and asked about each time: after an upgrade a script may not meet one of before. */
const IF_STILL_THE_SAME = 'public, no-cache';
/** A page depends on whether there is a session; kept, it would be shown again after the sign-in. */
const NO_STORE = 'no-store';

const describedAs = (type: string, example: string) => ({ [type]: { schema: { type: 'string', example } } });

@ApiTags('pages')
@RateLimited('public')
@Controller()
export class PagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly assets: PageAssets,
  ) {}

  @Get()
  @Public()
  @Header('Cache-Control', NO_STORE)
  @Header('Content-Type', HTML)
  @ApiOperation({ summary: 'The front page: the way in, or your workspace' })
  @ApiQuery({
    name: 'notice',
    required: false,
    schema: { type: 'string', maxLength: 100 },
    description: 'The name of something that is to be said first.',
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
  @ApiOperation({ summary: 'Where the link of an invite leads to; its token is behind the `#`, which no server sees' })
  @ApiOkResponse({ description: 'The page.', content: describedAs('text/html', '<!doctype html>…') })
  invite(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    return show(reply, this.pages.invite(readSessionCookie(request) !== null));
  }

  @Get('assets/:name')
  @Public()
  @RateLimited('page-files')
  @ApiOperation({ summary: 'A file that the pages load' })
  @ApiParam({
    name: 'name',
    description: 'Its name.',
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
  @ErrorResponses({ 404: 'There is no such file.' })
  async asset(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const asset = this.assets.find(name);
    if (asset === null) throw new DomainError('not_found', 'There is no such file.');
    // Here and not on the route: that there is no such file is not to be remembered, an upgrade may bring it.
    reply.headers({ 'Cache-Control': IF_STILL_THE_SAME, 'Content-Type': asset.type });
    return asset.document.answer(request, reply);
  }
}

function show(reply: FastifyReply, { html, securityPolicy }: RenderedPage): string {
  reply.header('Content-Security-Policy', securityPolicy);
  return html;
}
