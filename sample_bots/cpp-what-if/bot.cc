// cpp-what-if serves threefiveeight.v1.Bot on the socket in ARENA_SOCKET until SIGTERM. How it chooses is in choices.cc;
// the arena's docs/protocol.md tells what is said on the stream.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>

#include "choices.h"
#include "three_five_eight.grpc.pb.h"

namespace proto = threefiveeight::v1;

constexpr unsigned PROTOCOL = 1;

class WhatIf final : public proto::Bot::Service {
    grpc::Status Describe(grpc::ServerContext*, const proto::DescribeRequest*, proto::Description* about) override {
        about->set_protocol(PROTOCOL);
        about->set_name("cpp-what-if");
        about->set_version("1");
        about->set_language("c++");
        return grpc::Status::OK;
    }

    // One match: each turn is answered once, with its sequence number; nothing else is answered.
    grpc::Status Play(grpc::ServerContext*,
                      grpc::ServerReaderWriter<proto::FromBot, proto::FromReferee>* stream) override {
        proto::FromReferee message;
        if (!stream->Read(&message) || message.match_started().protocol() != PROTOCOL) {
            return {grpc::StatusCode::FAILED_PRECONDITION, "cpp-what-if speaks version 1 of the protocol"};
        }
        const proto::Rules rules = message.match_started().rules();
        while (stream->Read(&message)) {
            if (!message.has_turn()) continue;
            proto::FromBot answer = choose(message.turn().view(), rules);
            answer.set_sequence(message.turn().sequence());
            stream->Write(answer);
        }
        return grpc::Status::OK;
    }
};

int main() {
    const char* socket = std::getenv("ARENA_SOCKET");
    if (!socket) {
        std::cerr << "There is no referee here: a bot is started by the arena, as in `arena play . random random`.\n";
        return 2;
    }
    // Blocked in all threads, and waited for in this one.
    sigset_t to_stop;
    sigemptyset(&to_stop);
    sigaddset(&to_stop, SIGTERM);
    sigaddset(&to_stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &to_stop, nullptr);

    WhatIf bot;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(std::string("unix:") + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(&bot);
    const auto server = builder.BuildAndStart();
    if (!server) {
        std::cerr << "Can't listen on " << socket << ".\n";
        return 1;
    }
    int signal = 0;
    sigwait(&to_stop, &signal);
    server->Shutdown(std::chrono::system_clock::now());
}
