FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY scripts ./scripts
RUN node scripts/prepare.mjs --install-only
COPY . .
RUN node scripts/prepare.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:24-trixie-slim
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 MURMURATION_DATA_DIR=/data MURMURATION_BIND=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--v8-pool-size=0", "--max-semi-space-size=32", "--heap-growing-percent=150", "--no-allocation-site-pretenuring", "dist/main.js"]
