# syntax=docker/dockerfile:1
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node itself, which this image has, and the development tools of other systems.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4747 \
    DATABASE_URL=file:/data/countersign.sqlite
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules ./node_modules
COPY package.json agents.config.json ./
COPY src ./src
COPY skills ./skills
USER node
VOLUME /data
EXPOSE 4747
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# An exec form: the process itself gets SIGTERM, finishes what it has begun and stops.
CMD ["node", "src/main.ts"]
