//! The container image, built on the spot and run by testcontainers (feature `docker`).
#![cfg(feature = "docker")]

use integration_tests::{Connection, batch::Batch, stored};
use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
};
use testcontainers::{
    GenericBuildableImage, GenericImage, ImageExt,
    core::{ContainerPort, IntoContainerPort, Mount, WaitFor},
    runners::{AsyncBuilder, AsyncRunner},
};

const KAFKA: ContainerPort = ContainerPort::Tcp(9092);

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("in the workspace").to_owned()
}

/// Builds the static binary as `cargo xtask image` does, and the image from the Dockerfile at the top.
async fn image() -> GenericImage {
    let mut cargo = Command::new(env!("CARGO"));
    let printed =
        integration_tests::tools::run(cargo.current_dir(workspace()).args(["xtask", "static-binary"]));
    let folder = PathBuf::from(printed.lines().last().expect("the folder"));
    // An empty folder cannot be sent as a file; its note makes it one that can.
    let note = folder.join("data/.empty");
    std::fs::write(&note, "").expect("ours");
    GenericBuildableImage::new("daybook", "test")
        .with_dockerfile(workspace().join("Dockerfile"))
        .with_file(folder.join("daybook"), "target/image/daybook")
        .with_file(note, "target/image/data/.empty")
        .build_image()
        .await
        .expect("the image is built")
        .with_wait_for(WaitFor::message_on_stdout("listening on"))
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

/// ECO-01, LOG-17: the image serves as a non-root user, keeps its data in a volume, and stops cleanly.
#[tokio::test(flavor = "multi_thread")]
async fn the_image_serves_and_keeps_its_data_in_a_volume() {
    let image = image().await;
    let volume = format!("daybook-test-{}", std::process::id());
    for round in 0..2 {
        let port = free_port();
        let container = image
            .clone()
            .with_mapped_port(port, KAFKA)
            .with_env_var("KAFKA_ADVERTISED_LISTENERS", format!("PLAINTEXT://127.0.0.1:{port}"))
            .with_mount(Mount::volume_mount(volume.clone(), "/data"))
            .start()
            .await
            .expect("the container starts");
        let mapped = container.get_host_port_ipv4(9092.tcp()).await.expect("mapped");
        assert_eq!(mapped, port);
        tokio::task::spawn_blocking(move || use_broker(port, round)).await.expect("no panic");
        container.stop_with_timeout(Some(10)).await.expect("it stops");
        let state = container.exit_code().await.expect("an answer").expect("ended");
        assert_eq!(state, 0, "SIGTERM is a clean stop");
        container.rm().await.expect("removed");
    }
    let removed = Command::new("docker").args(["volume", "rm", "--force", &volume]).output();
    assert!(removed.is_ok_and(|output| output.status.success()));
}

fn use_broker(port: u16, round: i64) {
    let mut connection = Connection::open(SocketAddr::from(([127, 0, 0, 1], port)));
    let broker = connection.all_topics().brokers.remove(0);
    assert_eq!((broker.host.as_str(), broker.port), ("127.0.0.1", i32::from(port)));
    if round == 0 {
        connection.create_topic("t", 1, &[]);
    }
    assert_eq!(connection.produce("t", 0, &Batch::of(&[&round.to_string()])), round);
    let expected: Vec<_> = (0..=round).map(|number| number.to_string()).collect();
    assert_eq!(stored::values(&connection.fetch("t", 0, 0)), expected);
}
