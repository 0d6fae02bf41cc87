interface Assigned {
  driverId: string | null;
  driver?: { name: string } | null;
}

/** Whose delivery it is: the id, and the name where it is one of a driver who is known here. */
export function DriverName({ delivery }: { delivery: Assigned }) {
  const { driverId, driver } = delivery;
  const name = driver?.name;
  return (
    <span title={name ? `${driverId} ${name}` : undefined} className="tabular-nums">
      {driverId}
      {name && <span className="text-muted"> {name}</span>}
    </span>
  );
}
