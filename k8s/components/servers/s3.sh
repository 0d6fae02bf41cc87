#!/bin/sh
# Runs the S3 server and creates its only bucket.
#
# The servers below it (master, volumes, filer) require no credentials: whoever reaches them can read, replace and delete
# every object. So they listen on loopback, only S3 listens on the network, and the bucket is created from here.
set -u
secrets=${WAYBILL_SECRETS:-/run/secrets}

# S3 also opens a gRPC port that can replace its identities. It cannot be turned off, and listens wherever S3 does. So
# require a client certificate there that nobody has: the only authority accepted is the server's own certificate.
export WEED_GRPC_CA="$secrets/s3.crt" WEED_GRPC_S3_CERT="$secrets/s3.crt" WEED_GRPC_S3_KEY="$secrets/s3.key"

ask() { weed shell -master=127.0.0.1:9333 -filer=127.0.0.1:8888; }
# The shell also succeeds if a command fails, for example before the server is up. So look for the bucket in the list.
server=$$
(
  until echo s3.bucket.list | ask | grep ' waybill[[:space:]]'; do
    kill -0 "$server" || exit
    echo 's3.bucket.create -name waybill' | ask
    sleep 1
  done
) &
# Services use the port with TLS, browsers on this machine the other one.
exec weed -logtostderr=true server -dir=/data -volume.max=0 -master.volumeSizeLimitMB=512 \
  -ip=127.0.0.1 -ip.bind=127.0.0.1 \
  -s3 -s3.ip.bind=0.0.0.0 -s3.config="$secrets/s3.json" \
  -s3.port.https=8334 -s3.cert.file="$secrets/s3.crt" -s3.key.file="$secrets/s3.key"
