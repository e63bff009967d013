# hoga as a container: the program belongs to root and cannot be changed by the user that runs it.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/hoga --ignore-scripts --omit=dev /tmp/hoga-*.tgz

FROM node:22-bookworm-slim
COPY --from=build /opt/hoga /opt/hoga
COPY deploy/entrypoint.sh /opt/hoga/entrypoint.sh
ENV PATH=/opt/hoga/bin:$PATH HOME=/var/lib/hoga HOGA_HOME=/var/lib/hoga/home NODE_ENV=production
RUN useradd --system --uid 10001 --home-dir /var/lib/hoga --create-home --shell /usr/sbin/nologin hoga
USER 10001:10001
VOLUME /var/lib/hoga
EXPOSE 8421
ENTRYPOINT ["/bin/sh", "/opt/hoga/entrypoint.sh"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--port", "8421"]
