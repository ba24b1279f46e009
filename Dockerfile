FROM node:20-slim AS build
WORKDIR /app
COPY . .
RUN node scripts/prepare.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:20-slim
ENV NODE_ENV=production MURMURATION_DATA_DIR=/data MURMURATION_BIND=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
CMD ["node", "--max-semi-space-size=32", "--heap-growing-percent=150", "dist/main.js"]
