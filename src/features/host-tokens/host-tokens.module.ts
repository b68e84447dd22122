import { Module } from '@nestjs/common';
import { HostTokenWiping } from './host-token-wiping.js';
import { HostTokensRepository } from './host-tokens.repository.js';
import { HostTokens } from './host-tokens.service.js';
import { TokenEnvelope } from './token-envelope.js';

@Module({
  providers: [HostTokenWiping, HostTokens, HostTokensRepository, TokenEnvelope],
  exports: [HostTokens],
})
export class HostTokensModule {}
