import { Controller, Get, HttpStatus, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { ErrorResponses } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { attachment } from '../../../http/response-headers.js';
import { CLI_FILE_NAME, CLI_PACKAGE_NAME, CliFile } from './cli-file.js';
import { CliDescriptionDto } from './cli.dto.js';

/** The URLs stay the same when the service is upgraded, so each use of a cached file is revalidated by its `ETag`. */
const REVALIDATED = { 'Cache-Control': 'no-cache' };
const UNCHANGED = {
  status: HttpStatus.NOT_MODIFIED,
  description: 'The content has not changed since the version that `If-None-Match` names.',
};
const EXAMPLE_DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const NOT_BUILT = { 404: 'This build of the service does not contain the command-line tool.' };

@ApiTags('cli')
// Many CI jobs behind one address download it at the same time.
@RateLimited('page-files')
@Controller('cli')
export class CliController {
  constructor(private readonly file: CliFile) {}

  @Get(CLI_FILE_NAME)
  @Public()
  @ApiOperation({ summary: 'Download the command-line tool, one file for Node without dependencies' })
  @ApiOkResponse({
    description: 'The tool of the version of this service.',
    content: { 'application/node': { schema: { type: 'string' }, example: '#!/usr/bin/env node' } },
  })
  @ApiResponse(UNCHANGED)
  @ErrorResponses(NOT_BUILT)
  async downloadCli(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const { content } = this.file.get();
    reply.headers({
      ...REVALIDATED,
      'Content-Type': 'application/node',
      'Content-Disposition': attachment(CLI_FILE_NAME),
    });
    return content.answer(request, reply);
  }

  @Get(`${CLI_FILE_NAME}.sha256`)
  @Public()
  @ApiOperation({ summary: 'Get the SHA-256 of the command-line tool, in the format of sha256sum' })
  @ApiOkResponse({
    description: 'One line with the digest and the name of the file.',
    content: { 'text/plain': { schema: { type: 'string' }, example: `${EXAMPLE_DIGEST}  ${CLI_FILE_NAME}\n` } },
  })
  @ApiResponse(UNCHANGED)
  @ErrorResponses(NOT_BUILT)
  async getCliChecksum(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const { checksum } = this.file.get();
    reply.headers({ ...REVALIDATED, 'Content-Type': 'text/plain; charset=utf-8' });
    return checksum.answer(request, reply);
  }

  @Get(CLI_PACKAGE_NAME)
  @Public()
  @ApiOperation({ summary: 'Download the command-line tool as an npm package without dependencies and scripts' })
  @ApiOkResponse({
    description: 'The package of the version of this service, for `npm install` and `npx` with this URL.',
    content: { 'application/gzip': { schema: { type: 'string' }, example: '\u001f\u008b\b' } },
  })
  @ApiResponse(UNCHANGED)
  @ErrorResponses(NOT_BUILT)
  async downloadCliPackage(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const { content } = await this.file.getPackage();
    reply.headers({
      ...REVALIDATED,
      'Content-Type': 'application/gzip',
      'Content-Disposition': attachment(CLI_PACKAGE_NAME),
    });
    return content.answer(request, reply);
  }

  @Get(`${CLI_PACKAGE_NAME}.sha256`)
  @Public()
  @ApiOperation({ summary: 'Get the SHA-256 of the npm package of the command-line tool, in the format of sha256sum' })
  @ApiOkResponse({
    description: 'One line with the digest and the name of the package.',
    content: { 'text/plain': { schema: { type: 'string' }, example: `${EXAMPLE_DIGEST}  ${CLI_PACKAGE_NAME}\n` } },
  })
  @ApiResponse(UNCHANGED)
  @ErrorResponses(NOT_BUILT)
  async getCliPackageChecksum(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const { checksum } = await this.file.getPackage();
    reply.headers({ ...REVALIDATED, 'Content-Type': 'text/plain; charset=utf-8' });
    return checksum.answer(request, reply);
  }

  @Get('shipgate.json')
  @Public()
  @ApiOperation({ summary: 'Describe the command-line tool' })
  @ApiOkResponse({ type: CliDescriptionDto, description: 'Its version, digest and size, and where it runs.' })
  @ApiResponse(UNCHANGED)
  @ErrorResponses(NOT_BUILT)
  async describeCli(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const { description } = this.file.get();
    reply.headers({ ...REVALIDATED, 'Content-Type': 'application/json; charset=utf-8' });
    return description.answer(request, reply);
  }
}
