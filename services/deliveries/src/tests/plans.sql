INSERT INTO customer (customer_name_key, customer_name, customer_address, customer_address_key, created_at, created_by, updated_at, updated_by, version)
SELECT lower(name), name, '', '', now(), 'test', now(), 'test', 1
FROM (SELECT (ARRAY['Aling Belen','Ate Gemma','Kuya Dindo','Lola Caring','Balagtasan','Galvante','Ibarrola','Natividad'])[1 + n % 8]
    || ' ' || (ARRAY['Store','Trading','Mart','Pharmacy'])[1 + (n / 8) % 4] || ' ' || n / 32 AS name FROM generate_series(0, 4999) AS n) AS names;
INSERT INTO trucker (name_key, name)
SELECT lower(name), name FROM unnest(ARRAY['Agila Express','Alon Freight','Amihan Trucking','Bituin Logistics','Dalisay Hauling','Tala Freight']) AS name;
INSERT INTO delivery (id_key, id, deliverystatus, shipmentnumber, shipmentnumber_key, customername, customername_key, trucker, trucker_key,
    driver_id, driver_id_key, scheduledatetime, deliverydatetime, scanmode, referencedoc, referencedoc_key, source_id, upload_log_id,
    linecount, customeraddress, priority, attempt, max_attempts, created_at, created_by, updated_at, updated_by, version)
SELECT lower(id), id, status, shipment, lower(shipment), customer.customer_name, customer.customer_name_key, trucker.name, trucker.name_key,
    driver, lower(driver), at, CASE WHEN status <> 'Pending' THEN at + interval '2 hours' END,
    CASE WHEN status <> 'Pending' AND luck % 10 < 6 THEN 'Yes' ELSE 'No' END, 'SI-' || 2000000 + n, 'si-' || 2000000 + n,
    ('00000000-0000-0000-0000-0000000000' || lpad((luck % 50)::text, 2, '0'))::uuid,
    CASE WHEN n % 20000 < 3000 THEN ('00000000-0000-0000-0001-' || lpad((n / 20000)::text, 12, '0'))::uuid END,
    1 + luck % 6, 'Unit ' || luck % 300 || ', 12 Mabini Street, Barangay San Isidro, Quezon City, Metro Manila',
    'normal', 1, 3, at - interval '2 days', 'test', at, 'test', 2
FROM (SELECT n, luck, 'DR-' || lpad(n::text, 8, '0') AS id, 'S-' || lpad((n / 12)::text, 7, '0') AS shipment,
        'DRV-' || lpad((n / 12 * 7919 % 300)::text, 3, '0') AS driver,
        timestamptz '2026-09-01 00:00Z' + interval '90 days' * (n::float / :n) + interval '1 minute' * (luck % 600) AS at,
        CASE WHEN n > :n * 0.97 THEN 'Pending' WHEN luck % 100 < 86 THEN 'Complete_No_Variance' WHEN luck % 100 < 94 THEN 'Complete_With_Variance'
            WHEN luck % 100 < 97 THEN 'Undelivered' ELSE 'Rejected' END AS status
    FROM (SELECT n, ('x' || substr(md5(n::text), 1, 7))::bit(28)::int AS luck FROM generate_series(1, :n) AS n) AS numbers) AS made
JOIN (SELECT customer_name, customer_name_key, row_number() OVER (ORDER BY md5(customer_name_key)) - 1 AS place FROM customer) AS customer
    ON customer.place = least(4999, floor(5000 * power((luck % 10007) / 10007.0, 2.2)))
JOIN (SELECT name, name_key, row_number() OVER (ORDER BY name_key) - 1 AS place FROM trucker) AS trucker ON trucker.place = luck / 7 % 6;
INSERT INTO shipment (shipmentnumber_key, shipmentnumber, shipmentstatus, delivery_count, open_count, completed_count)
SELECT shipmentnumber_key, min(shipmentnumber), CASE WHEN bool_and(deliverystatus = 'Pending') THEN 'Pending'
    WHEN bool_and(deliverystatus NOT IN ('Pending', 'Undelivered')) THEN 'Completed' ELSE 'Partial' END, count(*), 0, 0
FROM delivery GROUP BY 1;
INSERT INTO variance (id, delivery_key, attempt, reason, reason_key, reason_code, kind, expected, actual, difference, reported_by, occurred_at)
SELECT md5(id_key)::uuid, id_key, 1, reason, lower(reason), lower(replace(reason, ' ', '_')), 'other', 0, 0, 0, 'driver', updated_at
FROM (SELECT *, (ARRAY['Wrong item','Short shipped','Damaged in transit','Site closed','Refused late'])[1 + length(customername) % 5] AS reason
    FROM delivery WHERE deliverystatus IN ('Complete_With_Variance', 'Undelivered', 'Rejected')) AS uneven;
INSERT INTO delivery_status_history (delivery_key, step, id, delivery_id, shipmentnumber, from_status, to_status, attempt, occurred_at, received_at,
    actor_type, actor_name, actor_name_key, reason_code)
SELECT id_key, step, md5(id_key || step)::uuid, id, shipmentnumber, CASE WHEN step = 2 THEN 'Pending' END,
    CASE WHEN step = 1 THEN 'Pending' ELSE deliverystatus END, 1, at, at, CASE WHEN step = 1 THEN 'import' ELSE 'driver' END,
    CASE WHEN step = 1 THEN 'maria' ELSE driver_id END, CASE WHEN step = 1 THEN 'maria' ELSE driver_id_key END,
    CASE WHEN step = 2 AND deliverystatus IN ('Undelivered', 'Rejected') THEN 'site_closed' END
FROM delivery, generate_series(1, CASE WHEN deliverystatus = 'Pending' THEN 1 ELSE 2 END) AS step,
    LATERAL (SELECT CASE WHEN step = 1 THEN created_at ELSE deliverydatetime END AS at) AS times;
