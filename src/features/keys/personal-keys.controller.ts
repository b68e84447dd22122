import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { NewPersonalKeyDto, CreatePersonalKeyDto, PersonalKeysDto } from './personal-keys.dto.js';
import { PersonalKeysService } from './personal-keys.service.js';

@ApiTags('keys')
@RateLimited('session')
@Controller('api/settings/mcp-keys')
export class PersonalKeysController {
  constructor(private readonly keys: PersonalKeysService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'Your own keys for remote tools in the workspace, without their secrets' })
  @ApiOkResponse({ type: PersonalKeysDto, description: 'Every key of yours that is not revoked.' })
  async list(@CurrentCaller() caller: MemberCaller): Promise<PersonalKeysDto> {
    return { keys: await this.keys.list(caller) };
  }

  @Post()
  @Requires('member')
  @ApiOperation({ summary: 'Make a key with which your own tools act for you, for 30 days' })
  @ApiCreatedResponse({ type: NewPersonalKeyDto, description: 'The key with its secret, which is shown this once.' })
  @ErrorResponses({ 409: 'You have 10 live keys in your workspaces already.' })
  async create(
    @CurrentCaller() caller: MemberCaller,
    @Body() request: CreatePersonalKeyDto,
  ): Promise<NewPersonalKeyDto> {
    const { secret, key } = await this.keys.create(caller, request);
    return { ...key, key: secret };
  }

  @Delete(':id')
  @Requires('member')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revoke a key of your own, at once and for good' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the key.' })
  @ApiNoContentResponse({ description: 'The key opens nothing any more.' })
  @ErrorResponses({ 404: 'You have no such key in the workspace.' })
  revoke(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}
