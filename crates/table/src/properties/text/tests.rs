use super::super::TableProperties;

#[test]
fn every_property_has_a_line() {
    let properties = TableProperties {
        num_data_blocks: 11,
        num_entries: 120,
        raw_key_size: 2040,
        raw_value_size: 3454,
        data_size: 3801,
        index_size: 316,
        index_partitions: 2,
        top_level_index_size: 30,
        index_key_is_user_key: 1,
        filter_size: 197,
        column_family_id: 0,
        column_family_name: "default".into(),
        db_id: "f1ec64a5-506c-4199-a826-ebc1ec079035".into(),
        db_session_id: "56HM0XAZB2GN343AVBDZ".into(),
        db_host_id: "vm".into(),
        original_file_number: 12,
        seqno_to_time_mapping: vec![2, 5, 100, 3, 7],
        ..TableProperties::default()
    };
    let expected = "\
        # data blocks=11; # entries=120; # deletions=0; # merge operands=0; \
        # range deletions=0; raw key size=2040; raw average key size=17.000000; \
        raw value size=3454; raw average value size=28.783333; data block size=3801; \
        index block size (user-key? 1, delta-value? 0)=316; # index partitions=2; \
        top-level index size=30; filter block size=197; # entries for filter=0; \
        (estimated) table size=4314; filter policy name=N/A; prefix extractor name=N/A; \
        column family ID=0; column family name=default; comparator name=N/A; \
        merge operator name=N/A; property collectors names=N/A; \
        SST file compression algo=N/A; SST file compression options=N/A; creation time=0; \
        time stamp of earliest key=0; file creation time=0; \
        slow compression estimated data size=0; fast compression estimated data size=0; \
        DB identity=f1ec64a5-506c-4199-a826-ebc1ec079035; \
        DB session identity=56HM0XAZB2GN343AVBDZ; DB host id=vm; original file number=12; \
        unique ID=C867CEB0B0D49DF9-4F00E58677BF7A40; \
        Sequence number to time mapping=5->100,8->107,; ";
    assert_eq!(properties.to_text("; ", "="), expected);
}

#[test]
fn what_is_not_known_says_so() {
    let mut properties = TableProperties::default();
    let text = properties.to_text("\n", ": ");
    for line in [
        "raw average key size: 0.000000",
        "column family ID: N/A",
        "unique ID: N/A",
        "Sequence number to time mapping: ",
    ] {
        assert!(text.lines().any(|other| other == line), "{line:?} in {text}");
    }
    properties.seqno_to_time_mapping = vec![9];
    assert!(properties.to_text("\n", ": ").ends_with("Sequence number to time mapping: N/A\n"));
}
